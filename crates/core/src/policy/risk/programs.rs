//! What programs do, by their names, subcommands and options.
//!
//! A row names a program, its subcommands in order, and options that must be among its words; `|`
//! parts alternatives, a `*` at the end of a word stands for the rest of it. Rows part at `;`. The
//! first row that fits counts, so what is worse stands first. What no row names is unknown.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::reader::Word;
use super::reason::Reason;

/// What a row says of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramEffect {
    /// This, whatever its words are.
    Is(Reason),
    /// Reads the files it names.
    Reads,
    /// Reads the files it names behind a pattern or a program.
    Searches,
    /// Changes the files it names.
    Writes,
    /// Reads the files it names but the last, which it changes.
    Copies,
    /// Takes files away and puts them where its last word says.
    Moves,
    /// Deletes what it names.
    Deletes,
    /// Runs what lies in the project, or the file it names.
    Project,
    /// Runs the code that its words, its input or a file hold.
    Interprets,
    /// Asks a database what its words or its input say.
    Queries,
    /// Reaches an address.
    Fetches,
    /// Packs files, or unpacks them where its options say.
    Archives,
}

use ProgramEffect::{
    Archives, Copies, Deletes, Fetches, Interprets, Is, Moves, Project, Queries, Reads, Searches,
    Writes,
};

const ROWS: &[(ProgramEffect, &str)] = &[
    (
        Is(Reason::Shows),
        "sayso ask|approve|help|--version|--help|-V|-h",
    ),
    (Is(Reason::Sayso), "sayso"),
    (
        Is(Reason::Money),
        "stripe charges|payment_intents|transfers|payouts|refunds|invoices create|confirm|capture|pay",
    ),
    (
        Is(Reason::Agents),
        "claude --dangerously-skip-permissions|--allow-dangerously-skip-permissions; \
         claude --permission-mode=bypassPermissions; claude bypassPermissions; claude config|mcp set|add|remove|add-json; \
         codex --yolo|--dangerously-bypass-approvals-and-sandbox|--full-auto; \
         gemini|qwen --yolo|-y|--approval-mode=yolo; cursor-agent --force|-f; aider --yes-always; \
         amp --dangerously-allow-all; opencode --dangerously-skip-permissions; copilot --allow-all-tools; droid --skip-permissions-unsafe",
    ),
    (
        Is(Reason::Login),
        "useradd|adduser|usermod|userdel|deluser|groupadd|groupmod|gpasswd|passwd|chpasswd|visudo|vipw|chsh|chfn|ssh-copy-id|newusers|addgroup|delgroup; \
         dscl|sysadminctl; aws iam create-access-key|create-user|attach-*|put-*|add-user-to-group|create-login-profile|update-assume-role-policy; \
         gcloud projects|iam add-iam-policy-binding|set-iam-policy|service-accounts; kubectl|oc|k create|patch|edit|replace|set|label|annotate|auth clusterrole*|role|role/*|roles|rolebinding*|serviceaccount*|sa|reconcile; \
         gh ssh-key|gpg-key add|delete; gh auth login|refresh|setup-git; tailscale up|set",
    ),
    (
        Is(Reason::Automatic),
        "crontab; at|batch; launchctl load|bootstrap|enable|submit|kickstart|bootout|unload; \
         systemctl enable|disable|mask|unmask|link|edit|daemon-reload|set-default; systemd-run; update-rc.d|chkconfig|rc-update|update-alternatives; \
         loginctl enable-linger; schtasks; direnv allow; pm2 startup",
    ),
    (
        Is(Reason::Trust),
        "update-ca-certificates|update-ca-trust|trust|apt-key|add-apt-repository|certutil|mkcert; \
         security add-trusted-cert|trust-settings-import|add-certificates; ssh-keygen -R; gpg|gpg2 --delete-key|--delete-keys|--delete-secret-key|--delete-secret-keys|--delete-secret-and-public-key|--import|--recv-keys|--edit-key|--import-ownertrust; \
         npm|pnpm|yarn config set|delete; npm set; npm login|adduser|token|owner; pip|pip3 config set|unset|edit; \
         yarn npm login; cargo login|owner; docker|podman login; git-credential; helm repo add; gem sources -a|--add; \
         conda config --add|--set; poetry config; gcloud auth login|activate-service-account; az login; aws configure set|import|sso; \
         kubectl config set-*|use-context|set; dnf|yum config-manager; brew tap; rustup toolchain link; npm link; flatpak remote-add; \
         defaults write|delete|import; xattr -d|-c; codesign",
    ),
    (
        Is(Reason::Service),
        "ufw status; sysctl -a; iptables|ip6tables -L|-S; nft list; mount -l; launchctl list|print; defaults read; csrutil status; spctl --status; timedatectl status|show; hostnamectl status; npm config get|list|ls; pip|pip3 config list|get|debug; kubectl config view|get-contexts|current-context; poetry config --list; conda config --show; docker context ls; update-alternatives --list|--display",
    ),
    (
        Is(Reason::System),
        "iptables|ip6tables|nft|ufw|firewall-cmd|pfctl|sysctl|setenforce|aa-disable|csrutil|spctl|mount|umount|insmod|modprobe|rmmod|swapoff|swapon|hostnamectl|timedatectl|nvram|bcdedit|netplan|route|grub-install|update-grub|setsebool|auditctl|kexec; \
         systemctl stop|restart|start|kill|reload|isolate; service; hostname *; launchctl; ip link|addr|route set|add|del; date -s|--set; \
         nmcli connection|radio add|modify|delete|off; hwclock; tc qdisc; networksetup; scutil --set; kubeadm; nix-env; nixos-rebuild; \
         apt|apt-get|aptitude|dnf|yum|microdnf|zypper|snap|flatpak|apk|port|pkg remove|erase|del|uninstall|rm|delete; pacman -R|-Rs|-Rn|-Rc|-Rns|-Rnsc|-Rsn|-Rdd|--remove; dpkg|rpm -r|-P|-e|--remove|--purge|--erase; apt|apt-get --purge; reg delete|add|import|restore|load",
    ),
    (
        Is(Reason::Power),
        "shutdown|reboot|poweroff|halt|init|telinit; systemctl poweroff|reboot|halt|suspend|hibernate|rescue|emergency; pmset sleepnow",
    ),
    (
        Is(Reason::Disk),
        "mkfs|mke2fs|mkswap|wipefs|fdisk|sfdisk|gdisk|sgdisk|cfdisk|parted|partprobe|blkdiscard|hdparm|badblocks|newfs|format|cryptsetup|mdadm; mkfs.*; \
         diskutil erase*|partition*|reformat|secureErase|apfs|zeroDisk; nvme format|sanitize; sg_format",
    ),
    (Is(Reason::Empties), "truncate|shred|srm|wipe|scrub"),
    (
        Is(Reason::Resources),
        "kubectl|oc|k replace --force; kubectl|oc|k delete|drain; helm uninstall|delete|del|rollback; \
         docker|podman|nerdctl system|volume|image|container|network|builder|buildx|pod prune; docker|podman|nerdctl rm|rmi; \
         docker|podman|nerdctl volume|image|container|network|secret|config|stack|service|context|buildx|node|pod|machine rm|remove; docker|podman swarm leave; docker|podman system reset; docker|podman machine reset; \
         docker|podman|nerdctl compose down -v|--volumes|--rmi; docker|podman|nerdctl compose rm; docker-compose|podman-compose down -v|--volumes|--rmi; docker-compose rm; \
         terraform|tofu|terragrunt|pulumi|cdk|cdktf|sst|serverless|sls|sam|copilot|eksctl|vagrant|packer|nomad destroy|delete|remove|rm; terraform|tofu|terragrunt apply -destroy; terraform|tofu|terragrunt state rm|push|mv; terraform|tofu|terragrunt run-all; terraform|tofu workspace delete; \
         terraform|tofu taint|untaint|force-unlock; eksctl|kind|minikube|k3d|kops delete; minikube|kind|k3d cluster delete; \
         aws * rm|rb|delete-*|terminate-*|deregister-*|purge-*|remove-*|destroy*|cancel-*|reset-*|detach-*|disable-*|stop-*|revoke-*|batch-delete-*; aws s3 rm|rb|mv; \
         aws s3 sync --delete; gsutil rm|rb|mv|rsync; gcloud storage rm|rmdir|buckets; \
         heroku *:destroy|*:reset|*:remove|*:unset|*:stop|*:kill; fly|flyctl destroy; fly|flyctl apps|volumes|machines|machine|volume|secrets|postgres destroy|delete|remove|unset|rm; \
         doctl|hcloud|linode-cli|scw|oci|ibmcloud|vultr-cli|exo|openstack|civo * delete|destroy|terminate|rm; doctl|hcloud|linode-cli|scw|oci|ibmcloud|vultr-cli|exo|openstack|civo * * delete|destroy|terminate|rm; \
         gh repo|release|secret|variable|gist|run|cache|label|issue|environment|codespace|cs|project|ruleset delete|remove|archive|rename; gh api DELETE; gh api -XDELETE|--method=DELETE; glab repo|release|mr|issue|variable delete; hub delete; \
         firebase *:delete|*:disable|*:remove; vercel|vc|now remove|rm; vercel|vc env|domains|dns|alias|project|projects|secrets|certs rm|remove; netlify *:delete; netlify sites|env delete|unset; railway down|delete; render services delete; \
         wrangler delete|rollback; wrangler d1|kv|r2|queues|pages|secret|kv:key|kv:namespace|vectorize delete; wrangler d1|kv|r2|queues|pages|secret|kv:key|kv:namespace|vectorize * delete; supabase db|projects|branches|functions|secrets reset|delete|unset; neonctl|turso|planetscale|pscale * delete|destroy; turso|pscale db|database destroy|delete; \
         vault delete|destroy; vault kv|secrets|auth|token|lease|policy delete|destroy|disable|revoke|metadata; consul kv|services delete|deregister; etcdctl del; nomad stop|system; nomad job stop; \
         zfs|zpool destroy|rollback|labelclear; lvremove|vgremove|pvremove|lvreduce; btrfs subvolume delete; virsh destroy|undefine|vol-delete|snapshot-delete; VBoxManage unregistervm|controlvm|closemedium; multipass|limactl|lxc|incus|colima delete|purge; \
         kafka-topics|kafka-topics.sh|kafka-consumer-groups|kafka-consumer-groups.sh|kafka-acls.sh --delete; rabbitmqctl delete_*|purge_queue|reset|force_reset; rabbitmqadmin delete|purge; nats stream|kv|consumer rm|purge|delete|del; \
         restic|borg|duplicity|rclone|tarsnap|duplicacy forget|prune|delete|purge|deletefile|rmdirs|cleanup|remove-older-than|compact; rclone sync|move|bisync; mc|s3cmd|s5cmd|b2|rados|rbd rm|rb|del|delete|purge|remove|mirror|sync; az * delete|purge; az * * delete|purge; az * * * delete|purge; gcloud * delete; gcloud * * delete|reset|remove*; gcloud * * * delete|reset|remove*; \
         argocd app delete; istioctl uninstall; flux delete|uninstall; velero delete; velero backup|restore|schedule delete; stripe * delete; ansible-vault; launchpad; dvc gc|destroy; git-lfs prune; cf delete|delete-*; jira issue delete; twilio * remove; shopify app|theme delete; eas * delete; tsuru app-remove; crictl rm|rmi|rmp; ctr images|containers rm; skopeo delete; crane delete; oras manifest delete; apt|apt-get|dnf|yum|pacman|zypper|brew|snap|apk purge|autoremove; tmutil delete; security delete-*; diskutil apfs deleteVolume; launchctl remove; networkctl delete",
    ),
    (
        Is(Reason::Data),
        "dropdb|dropuser|mysqladmin|influxd|pg_restore|pg_resetwal|mongorestore|mysqlimport|pgbench|vacuumdb; influx bucket|delete|org delete; influx delete; rails|rake|bin/rails db:drop*|db:reset*|db:purge*|db:truncate*|db:setup|db:schema:load|db:structure:load|db:migrate:reset|db:rollback|db:seed:replant; \
         redis-cli|valkey-cli|keydb-cli flushall|flushdb|del|unlink|shutdown|config|rename|set|hset|hdel|lpush|rpush|lpop|rpop|sadd|srem|zadd|zrem|expire|restore|eval|script|debug|migrate|slaveof|replicaof|swapdb|getdel|mset|incr|decr|append|persist|ltrim|xdel|xtrim|acl|module|save|bgsave|failover|cluster|function; \
         prisma migrate reset; prisma db push --force-reset|--accept-data-loss; prisma db execute; sequelize|sequelize-cli db:drop|db:migrate:undo*|db:seed:undo*; knex migrate:rollback|migrate:down|seed:run; typeorm schema:drop|migration:revert; drizzle-kit drop|push; alembic downgrade; flyway clean|undo; liquibase drop-all|dropAll|rollback*; \
         mix ecto.drop|ecto.reset|ecto.rollback; diesel database|migration reset|drop|revert|redo; sqlx database drop|reset; sqlx migrate revert; goose down|reset; migrate drop|down; dbmate drop|down|rollback; atlas schema clean; wp db drop|reset|clean; drush sql:drop|sql-drop; symfony|bin/console doctrine:database:drop|doctrine:schema:drop; dotnet ef database drop; hasura migrate|metadata clear; sanity dataset delete; meilisearch; nodetool decommission|removenode; rs.stepdown; pgloader",
    ),
    (
        Is(Reason::Infrastructure),
        "terraform|tofu|terragrunt apply|import; pulumi up|update|import|refresh; cdk|cdktf|sst|sam|copilot deploy|bootstrap; aws cloudformation create-*|update-*|deploy|execute-change-set; ansible-playbook; serverless|sls deploy; gcloud deployment-manager deployments create|update; eksctl create|upgrade; kops update; az deployment group create; chef-client|puppet; salt|salt-call; nomad run; nomad job run; waypoint up",
    ),
    (
        Is(Reason::Publishes),
        "npm|pnpm|bun|cargo|poetry|uv|flit|hatch|pdm|lerna|changeset|vsce|ovsx|jsr|deno|dart|clojars|conan|semantic-release|release-it|np|maturin|goreleaser publish|unpublish|yank|deprecate|upload|release|dist-tag|star; semantic-release|release-it|np|goreleaser; yarn publish; yarn npm publish|tag; flutter|dart pub publish; \
         twine upload; gem push|yank; docker|podman|nerdctl push; docker|podman buildx build --push; docker|podman|nerdctl compose push; docker image|manifest push; skopeo copy|sync; crane push|copy|append; oras push|copy; helm push; mvn|mvnw deploy|release:perform; gradle|gradlew publish*|upload*|closeAndRelease*; dotnet|nuget nuget push; nuget push; nuget delete; pod trunk push; sbt publish*; mix hex.publish; lein deploy; cabal upload; stack upload; luarocks upload; conda|anaconda upload; snapcraft upload|release|push; fastlane; eas submit|update|build; codepush; \
         gh release create|upload|edit; gh pr merge; glab mr merge; gh gist create|edit; gh repo create|edit|fork|sync; glab release create|upload; glab snippet create; vercel|vc deploy|promote|rollback|alias; vercel|vc --prod; netlify deploy; firebase deploy; fly|flyctl deploy; wrangler deploy|publish; wrangler pages deploy; railway up; surge; gh-pages; heroku container:release|container:push; gcloud app|run|functions deploy; amplify publish|push; supabase functions|db deploy|push; shopify theme|app push|deploy|publish; eb deploy; cf push; now; render deploy; gcloud builds submit; ipfs add|pin; huggingface-cli|hf upload|repo; wandb sync; kaggle datasets|competitions create|submit|version; modal deploy; dvc push; git-lfs push; rsconnect deploy; code --publish; slack; tweet; toot",
    ),
    (
        Is(Reason::Sends),
        "scp|sftp|ftp|lftp|ncftp|tftp|nc|ncat|netcat|socat|telnet|mail|mailx|mutt|sendmail|msmtp|swaks|rclone|croc|wormhole|magic-wormhole|transfer|transfer.sh|ngrok|cloudflared|localtunnel|lt|bore|rsh|rcp|chisel|frpc|iodine|curlftpfs|smbclient|nmap|masscan|hping3; logger --server|-n; openssl s_client|s_server; \
         tailscale file|funnel|serve; aws s3 cp|sync|presign; aws s3api put-*; aws sns publish; aws sqs send-*; aws ses|sesv2 send-*; aws lambda invoke; gsutil cp|rsync|mv|setmeta|iam|acl; gcloud storage cp|rsync; gcloud pubsub topics publish; az storage blob upload*; az storage copy; azcopy; s3cmd put|sync; b2 upload*; mc cp|mirror; s5cmd cp|sync; kafkacat|kcat|kafka-console-producer|kafka-console-producer.sh|mosquitto_pub; aws kinesis put-*; twilio; gpg --send-keys; heroku pg:push; slackcat; pastebinit; gist; ix; termbin; gh secret set; gh variable set; restic|borg backup|create|copy; signal-cli send; wall|write; osascript mail",
    ),
    (
        Is(Reason::RemoteCommand),
        "ansible; mosh|pssh|pdsh|clush|parallel-ssh|dsh|sshpass|plink|autossh; aws ssm start-session|send-command; aws ecs execute-command; gcloud compute ssh|scp; gcloud cloud-shell ssh; az vm run-command|ssh; heroku run|ps:exec; fly|flyctl ssh|console; doctl compute ssh; vagrant ssh; gh codespace|cs ssh|cp; cf ssh; nomad alloc exec; railway run|ssh; salt; fab|cap; kubectl debug; psexec; winrm; wsl",
    ),
    (
        Is(Reason::Credential),
        "gh auth token; gh secret list; aws configure get|export-credentials; aws secretsmanager get-*|list-*; aws ssm get-parameter*; aws sts assume-role*|get-session-token|get-federation-token; aws ecr get-login-password; aws kms decrypt; \
         gcloud auth print-*; gcloud auth application-default print-*; gcloud secrets versions access; az account get-access-token; az keyvault secret show|download; kubectl|oc|k get|describe secret*|secret/*; oc whoami -t; kubectl config view --raw; kubectl create token; \
         security find-generic-password|find-internet-password|dump-keychain|export; vault read|kv|token|login|print; op read|get|item|document|inject; bw get|list|export; lpass show|export; pass; gopass; keyring get; secret-tool lookup|search; gpg|gpg2 --export-secret-keys|--export-secret-subkeys; doppler secrets; chamber read|export; sops; heroku auth:token|config; fly|flyctl auth|tokens|secrets; npm token; docker-credential-*; git-credential-*; git credential fill; ssh-add -L; pbpaste; xclip; xsel; wl-paste; vercel env pull; netlify env:list|env:get; railway variables; supabase secrets; mimikatz; hashcat|john; age|rage -d; ykman; aws-vault; infisical; tcpdump|tshark|dumpcap; keepassxc-cli; history; fc",
    ),
    (Is(Reason::BecomesRoot), "setcap|setfattr; xattr -w"),
    (
        Is(Reason::HostAccess),
        "nsenter|unshare|chroot|machinectl|runc|debootstrap; kubectl debug",
    ),
    (
        Is(Reason::Packages),
        "npm audit fix; npm|pnpm|bun install|i|ci|add|update|up|upgrade|uninstall|remove|rm|un|dedupe|rebuild|exec|x|init|create|dlx|import|fetch|install-test|it|prune|link|patch; npm|pnpm -g; bunx|npx|pnpx|uvx|pipx|nlx|dlx; bun create|pm; yarn install|add|remove|up|upgrade|dlx|create|dedupe|global|link|set; yarn --frozen-lockfile|--immutable; pip|pip3 install|uninstall|download|wheel; \
         python -m pip install; uv sync|add|remove|lock|tool|python|self; uv pip install|uninstall|sync|compile; poetry install|add|remove|update|lock|self; pipenv install|update|sync|uninstall|lock; pdm install|add|update|sync|remove|lock; rye sync|add|install; conda|mamba|micromamba|pixi install|create|update|remove|env|add; cargo add|install|update|remove|fetch|vendor|binstall|uninstall|generate-lockfile|upgrade; rustup update|install|component|target|default|toolchain|self|override; \
         go get|install|mod|work; bundle install|update|add|lock|remove; gem install|update|uninstall; composer install|update|require|remove|global|create-project; dotnet add|restore|remove|tool|workload|new; nuget install|restore; mix deps.get|deps.update|archive.install|local.hex|local.rebar; flutter|dart pub; flutter create|upgrade; swift package; pod install|update|repo; carthage update|bootstrap; brew install|upgrade|update|uninstall|reinstall|cask|services|bundle|link|unlink; \
         apt|apt-get install|upgrade|remove|dist-upgrade|full-upgrade; dnf|yum|zypper install|update|upgrade|remove; apk add|del|upgrade; pacman; snap install|remove|refresh; flatpak install; port install; nix|nix-shell; asdf|mise install|plugin|use|upgrade; nvm|fnm|volta|n|pyenv|rbenv install|use|uninstall|pin|global; corepack; terraform|tofu init|get|providers; helm dependency|dep|pull|fetch|plugin; deno install|add|cache; code --install-extension; cabal install|update; opam install|update; luarocks install; cpan|cpanm; sdk install; krew install; kubectl krew install; playwright install; pre-commit install|autoupdate; husky; lefthook install; degit; cookiecutter; copier; yo; gem; dpkg -i|--install; rpm -i|-U|-e; installer; softwareupdate; winget|choco|scoop; meson subprojects; conan install; vcpkg install; elm install; spago install; rebar3 get-deps; stack install; quicklisp; jill; tlmgr; R CMD INSTALL; ansible-galaxy; crystal deps; shards install; nimble install; zef install; raco pkg",
    ),
    (
        Reads,
        "cargo fmt --check; cargo fmt --check; rustfmt --check; cargo tree|metadata|pkgid|locate-project|read-manifest|verify-project|version|help|search|info|config; npm ls|list|root|prefix|bin|pkg|explain|why|query|fund|help|help-search; npm|pnpm|yarn|bun --version|-v; pnpm ls|list|why|root|bin|licenses; yarn list|why|workspaces|info|--version; pip|pip3 list|show|freeze|check|--version|inspect; uv tree|version|--version; uv pip list|show|freeze|check|tree; poetry show|check|version|env; go list|doc; gofmt -l|-d; bundle list|show|info|outdated|check; gem list; composer show|validate|diagnose; dotnet --version|--info|--list-sdks; mix help; terraform|tofu fmt -check|--check; terraform|tofu validate|version|graph; helm template|lint|show|version; brew list|info|--version|--prefix|config|deps; apt list|show|policy; dpkg -l|-L|-s|-S; rpm -q*; kubectl version|api-resources|explain; tsc --version|-v|--showConfig; rustc|node|python|python3|ruby|java|go|deno|bun|gcc|clang|cmake|make|docker --version; deno --version; java -version; cloc|tokei|scc|sloccount; uniq; openssl x509|version|dgst; xcodebuild -list|-version; swift --version; pyenv|rbenv|nvm|asdf|mise|fnm|volta versions|version|current|list|ls|which|--version",
    ),
    (
        Reads,
        "ls|ll|la|dir|eza|exa|lsd|tree|cat|bat|batcat|tac|head|tail|less|more|most|nl|wc|stat|file|du|readlink|realpath|diff|cmp|comm|colordiff|delta|difft|cut|tr|column|paste|join|fold|fmt|expand|unexpand|rev|shuf|tsort|strings|od|hexdump|xxd|md5|md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|shasum|b2sum|cksum|sum|base64|base32|basename|dirname|sort|numfmt|iconv|look|zcat|zless|zgrep|bzcat|xzcat|gzcat|lsblk|exiftool|mediainfo|identify|pdfinfo|pdftotext|test|[|[[|cd|pushd|popd|chdir|nm|objdump|readelf|ldd|otool|size|c++filt|jo|xmllint|tokei|mdcat|glow|csvcut|csvlook|csvstat|csvgrep|xsv|mlr|dasel|gron|fx|jless|yamllint|shellcheck|hadolint|actionlint|markdownlint|codespell|typos|vale|npm-check|depcheck|knip|madge|dependency-cruiser|cargo-tree|ffprobe|locale|nproc|arch|getconf|pwd; patch --dry-run; unzip -l|-Z; zipinfo; tar -t|--list; bsdtar -t; 7z l",
    ),
    (
        Searches,
        "grep|egrep|fgrep|rg|ag|ack|ugrep|jq|yq|tomlq|xq|htmlq|pup|fd|fdfind|locate|mdfind|ast-grep|sg|semgrep|find",
    ),
    (
        Is(Reason::Shows),
        "rustup show|which|doc|--version; go version|env|help; echo|printf|command|date|whoami|id|groups|uname|hostname|which|whereis|type|true|false|:|sleep|wait|uptime|cal|seq|yes|clear|tput|stty|tty|df|free|vmstat|iostat|ps|pgrep|top|htop|jobs|lscpu|lsmem|sw_vers|system_profiler|arch|exit|return|break|continue|shift|set|export|local|declare|typeset|readonly|let|read|umask|ulimit|bg|fg|disown|shopt|setopt|hash|times|getopts|help|man|info|tldr|apropos|logname|users|who|w|last|lsof|ss|netstat|pstree|expr|bc|dc|factor|test|cowsay|figlet|banner|ping|mktemp|complete|compgen|nvidia-smi|sensors|printenv|alias|unalias|time",
    ),
    (Is(Reason::Environment), "env|printenv"),
    (
        Deletes,
        "rm|rmdir|unlink|del|rd|erase|rimraf|del-cli; gio trash|remove",
    ),
    (
        Writes,
        "mkdir|touch|tee|chmod|chown|chgrp|chattr|setfacl|patch|gofmt|rustfmt|gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|gcc|g++|cc|c++|clang|clang++|ld|ar|ranlib|as|strip|javac|kotlinc|scalac|rustc|ghc|ocamlc|nasm|tsc-watch|sponge|split|csplit|dos2unix|unix2dos|convert|magick|mogrify|rename|mkfifo|mknod|indent|clang-format|shfmt|taplo|dprint|autopep8|yapf|pyupgrade|swiftformat|ktlint|google-java-format|sqlfluff|msgfmt|xgettext|gettext|ctags|cscope|etags|dot|pandoc|svgo|sass|lessc|postcss|tailwindcss|esbuild|swc|cargo-fmt|cwebp|optipng|pngquant|jpegoptim; cargo fmt|clean|init|new; python -m venv; virtualenv; npm pkg set|delete; npm version; terraform|tofu fmt; openssl genrsa|req|rand|genpkey; stack new; cmake -E; git-filter-repo; go fmt|clean|generate",
    ),
    (Archives, "tar|bsdtar|gtar|unzip|7z|7za|unrar|zip|ouch|unar"),
    (Copies, "cp|gcp|install|ln|ditto|rsync|scp|link|cpio|dd"),
    (Moves, "mv|gmv"),
    (
        Interprets,
        "python*|pypy*|node|nodejs|ruby|perl|php|lua*|luajit|Rscript|R|julia|osascript|tclsh|wish|expect|groovy|scala|kotlin|irb|pry|ipython*|ghci|racket|guile|sbcl|jshell|pwsh|powershell|tsx|ts-node|gawk|mawk|nawk|awk|sed|gsed|perl*; sqlite-utils; deno eval; bun -e|--eval; elixir -e; swift -e; iex; clojure; bb; ocaml; gdb|lldb; emacs; vi|vim|nvim|view|ex|ed|nano; gnuplot; octave; matlab; bc",
    ),
    (
        Queries,
        "psql|mysql|mariadb|sqlite3|duckdb|sqlcmd|cqlsh|clickhouse|clickhouse-client|mongosh|mongo|redis-cli|valkey-cli|keydb-cli|snowsql|bq|cockroach|influx|usql|pgcli|mycli|litecli|isql|sqlplus|trino|presto|neo4j|cypher-shell|surreal|libsql|turso|osquery*|ksql|arangosh|couchdb|rethinkdb|tarantool|rqlite|vtctl|spanner-cli|edgedb|gel|supabase|neonctl|pscale|ldapmodify|ldapdelete|ldapadd|hive|beeline|impala-shell|spark-sql|dbt",
    ),
    (
        Fetches,
        "curl|wget|http|https|xh|xhs|httpie|aria2c|axel|lynx|w3m|links|elinks|fetch|grpcurl|websocat|wscat|ab|wrk|hey|k6|siege|vegeta|youtube-dl|yt-dlp|curlie|evans|newman|dig|nslookup|host|drill|whois|traceroute|tracepath|mtr|openssl",
    ),
    (
        Project,
        "vercel|vc|netlify|serverless|sls|wrangler|firebase|amplify|sst|sam|shopify dev|offline|local|serve|emulators:start|build|types|generate|check|lint",
    ),
    (
        Is(Reason::Container),
        "docker|podman|nerdctl run|exec|build|start|restart|create|attach|cp|commit|load|import|up; docker|podman|nerdctl compose up|exec|run|build|start|restart|create|watch; docker|podman buildx|image|container|builder build|exec|run|start|load|bake|create; docker-compose|podman-compose up|exec|run|build|start|restart; kubectl|oc|k exec|run|attach|cp; act; devcontainer; buildah; kaniko; tilt up; skaffold; minikube|kind|k3d|colima start|create; multipass launch|exec; vagrant up; apptainer|singularity; earthly; dagger; lima; distrobox; toolbox; nix develop|run; steampipe; testcontainers; ddev; lando; sail",
    ),
    (
        Is(Reason::Fetches),
        "npm outdated|view|info|show|search|audit|ping|whoami|doctor; pnpm outdated|audit|view|info; yarn outdated|audit|npm|info; pip|pip3 index|search|hash; cargo search|audit|outdated|deny; bundle outdated|audit; composer outdated|audit|search; apt|apt-get update|search; dnf|yum|brew|apk|snap search|check-update|update|outdated; go vuln; govulncheck; snyk; trivy|grype|syft; renovate; dotnet list; poetry search; helm search; dependabot; licensee; osv-scanner; safety; pip-audit; npm-check-updates|ncu; git-lfs",
    ),
    (
        Is(Reason::Service),
        "docker|podman|nerdctl|docker-compose|podman-compose|colima|lima|limactl; kubectl|oc|k|helm|k9s|kubectx|kubens|kustomize|stern|argocd|istioctl|flux|velero|minikube|kind|k3d; gh|glab|hub|jira|linear|circleci|travis|bitrise|buildkite-agent|act_runner; aws|gcloud|az|gsutil|doctl|hcloud|linode-cli|oci|ibmcloud|scw|civo|openstack; heroku|fly|flyctl|vercel|vc|netlify|firebase|wrangler|railway|render|amplify|eb|cf|supabase|turso|neonctl|pscale|sst; \
         terraform|tofu|terragrunt|pulumi|cdk|cdktf|serverless|sls|sam|nomad|consul|vault|packer|vagrant; systemctl|journalctl|launchctl|loginctl|resolvectl; redis-cli; etcdctl; rabbitmqctl|rabbitmqadmin|nats|kafka*|kafka-topics; stripe; sentry-cli; datadog*|newrelic; ollama|llm|openai|claude|codex|gemini|aider|opencode|cursor-agent|amp|copilot|qwen|goose; pg_dump|pg_dumpall|pg_isready|pg_ctl|createdb|createuser|mysqldump|mongodump|initdb|psql; tmux|screen|zellij; adb|xcrun|simctl|emulator|fastboot; slack; eas|expo; mlflow|wandb|huggingface-cli|hf|kaggle|modal; pm2|supervisorctl|foreman|overmind; tailscale|wg; code|cursor|subl|idea; virsh|multipass|lxc|incus|VBoxManage; nvidia-docker; restic|borg|rclone; ipfs; lpr|lp; say; notify-send; pbcopy; airflow|prefect|dagster|temporal|tctl; dvc|lakefs; jfrog|jf; sonar-scanner|codecov|coveralls; ssh-add|ssh-agent|ssh-keygen|gpg|gpgconf|gpg-agent; mosquitto_sub; spark-submit; ray",
    ),
    (
        Is(Reason::Stops),
        "kill|pkill|killall|xkill|fuser|skill|kill-port; tskill; taskkill",
    ),
    (
        Project,
        "cargo; npm|pnpm|yarn|bun|deno; make|gmake|cmake|ctest|ninja|meson|bazel|bazelisk|buck|buck2|pants|scons|waf|xmake|premake*|autoreconf|autoconf|automake|configure|just|task|go-task|mage|invoke|inv|nox|tox|rake|rails|bundle|rspec|rubocop|standardrb|brakeman|sorbet|srb|steep|minitest|cucumber; \
         python manage.py; pytest|py.test|unittest|coverage|mypy|pyright|basedpyright|ruff|black|isort|flake8|pylint|pydocstyle|bandit|pyre|pytype|pre-commit|sphinx-build|mkdocs|nox|behave|robot|locust|hypothesis|django-admin|flask|uvicorn|gunicorn|hypercorn|celery|streamlit|jupyter|ipython|papermill|alembic|scrapy|poetry|uv|pipenv|pdm|hatch|rye|conda|mamba|pixi|maturin|cython|nuitka|pyinstaller|briefcase|twine; \
         tsc|eslint|prettier|biome|oxlint|standard|xo|stylelint|vitest|jest|mocha|ava|tap|jasmine|karma|cypress|playwright|wdio|puppeteer|nightwatch|testcafe|vite|webpack|rollup|parcel|turbo|nx|lerna|rush|gulp|grunt|next|nuxt|nuxi|astro|remix|gatsby|svelte-kit|svelte-check|ng|vue|vue-cli-service|ember|react-scripts|expo|react-native|storybook|sb|nodemon|ts-node-dev|tsup|unbuild|rimraf-cli|concurrently|wireit|zx|prisma|drizzle-kit|knex|typeorm|sequelize|sequelize-cli|hardhat|truffle|forge|anvil|graphql-codegen|openapi-generator|openapi-generator-cli|changeset|commitlint|lint-staged|husky|c8|nyc|serve|http-server|live-server|vercel|serverless|netlify|capacitor|cap|ionic|electron|electron-builder|tauri|tailwind|wasm-pack|trunk|cross|cargo-*; \
         go|golangci-lint|staticcheck|gotestsum|ginkgo|air|dlv|buf|wire|mockgen|sqlc|templ|goreleaser; mvn|mvnw|gradle|gradlew|ant|sbt|mill|lein|clj|java|jar|kotlin|ktlint|detekt|checkstyle|spotbugs; dotnet|msbuild|nuke|cake|paket|xbuild|mono|fsi; phpunit|pest|phpstan|psalm|phpcs|php-cs-fixer|pint|rector|composer|artisan|drush|wp|symfony|codecept|behat; \
         swift|xcodebuild|swiftlint|fastlane|pod|carthage|xctool|tuist|xcodegen; flutter|dart|melos; mix|rebar3|elixir|iex|erl|gleam; zig|odin|nim|nimble|crystal|shards|v|hare|dub|dmd|ldc2|stack|cabal|ghcid|dune|opam|esy|elm|elm-test|spago|purs|lein|boot|bb|stack|raco|alr|gprbuild|fpm|mojo|gleam|roc|idris2|agda|lake|lean|coqc|isabelle; ghc; runghc; rustdoc|miri|trybuild|wasm-bindgen|wasmtime|wasmer|cargo; valgrind|gcov|lcov|perf|heaptrack|kcachegrind|hyperfine|time|gprof|qemu-*; latexmk|pdflatex|xelatex|lualatex|bibtex|biber|typst|asciidoctor|hugo|jekyll|zola|eleventy|hexo|mdbook|docusaurus|vitepress; ansible-lint|tflint|tfsec|checkov|kubeval|kubeconform|conftest|opa; nix-build|guix; unity|godot|ue4editor; verilator|iverilog|yosys|ghdl; arduino-cli|platformio|pio|west|idf.py|esptool.py; dbt|sqlmesh|sqlfluff|great_expectations; pulumi preview; cdk synth|diff; jupyter; quarto; snakemake|nextflow; bats|shunit2|shellspec; lefthook|overcommit|trunk; monorepo; tilt; foreman; honcho; procfile; npm-run-all|run-s|run-p; ./configure",
    ),
];

/// Options before a subcommand that take the next word.
const TAKES_VALUE: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--kube-context",
    "--kubeconfig",
    "-H",
    "--host",
    "--profile",
    "--region",
    "--project",
    "-R",
    "--repo",
    "--prefix",
    "-w",
    "--workspace",
    "--filter",
    "-F",
    "-C",
    "--dir",
    "--cwd",
    "--config",
    "-h",
    "-p",
    "-a",
    "--file",
    "--project-name",
    "--env",
    "--env-file",
    "--manifest-path",
    "--project-directory",
    "-f",
    "--subscription",
    "--account",
    "-g",
    "-u",
    "--user",
    "--stage",
    "-s",
    "--server",
    "--app",
    "--org",
    "--log-level",
];

/// The words that are no options, up to `count`, with the values of options left out.
pub(super) fn operands(words: &[Word], count: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = words.iter().map(|word| word.text.as_str());
    while let Some(word) = rest.next() {
        if found.len() >= count {
            break;
        }
        if word.starts_with('-') && word.len() > 1 {
            if TAKES_VALUE.contains(&word) {
                rest.next();
            }
        } else if !word.starts_with('+') {
            found.push(word);
        }
    }
    found
}

/// Whether an option is among the words: as it is, with a value glued on, or as one letter of many.
pub(super) fn has_option(words: &[Word], option: &str) -> bool {
    let letter = option
        .strip_prefix('-')
        .filter(|letter| letter.len() == 1 && !option.starts_with("--"));
    words.iter().any(|word| {
        let text = word.text.as_str();
        let glued = text
            .strip_prefix(option)
            .is_some_and(|rest| rest.starts_with('='));
        let cluster = letter.is_some_and(|letter| {
            let flags = text.strip_prefix('-').unwrap_or_default();
            !flags.starts_with('-')
                && flags.len() < 8
                && flags.chars().all(|char| char.is_ascii_alphabetic())
                && flags.contains(letter)
        });
        text == option || glued || cluster
    })
}

/// A row, taken apart.
#[derive(Debug)]
struct Row {
    effect: ProgramEffect,
    names: Vec<&'static str>,
    /// Subcommands and options; each has alternatives.
    tokens: Vec<Vec<&'static str>>,
}

/// The rows in order, and which of them name a program outright.
#[derive(Debug)]
struct Table {
    rows: Vec<Row>,
    by_name: HashMap<&'static str, Vec<usize>>,
    /// Rows that name programs by a part of their names.
    by_part: Vec<usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        rows: Vec::new(),
        by_name: HashMap::new(),
        by_part: Vec::new(),
    };
    for (effect, rows) in ROWS {
        for row in rows.split(';') {
            let mut tokens = row
                .split_whitespace()
                .map(|token| token.split('|').collect());
            let Some(names): Option<Vec<&str>> = tokens.next() else {
                continue;
            };
            let index = table.rows.len();
            for name in &names {
                if name.contains('*') {
                    table.by_part.push(index);
                } else {
                    table.by_name.entry(*name).or_default().push(index);
                }
            }
            let tokens = tokens.collect();
            let effect = *effect;
            table.rows.push(Row {
                effect,
                names,
                tokens,
            });
        }
    }
    table
});

/// What a command does; nothing when its program is unknown.
pub(super) fn effect(program: &str, words: &[Word]) -> Option<ProgramEffect> {
    let operands = operands(words, 4);
    let table = &*TABLE;
    let named = table.by_name.get(program).into_iter().flatten().copied();
    let parted = table.by_part.iter().copied().filter(|index| {
        let row = table.rows.get(*index);
        row.is_some_and(|row| {
            row.names
                .iter()
                .any(|name| name.contains('*') && is(name, program))
        })
    });
    let mut fitting: Vec<usize> = named.chain(parted).collect();
    fitting.sort_unstable();
    let rows = fitting
        .into_iter()
        .filter_map(|index| table.rows.get(index));
    rows.into_iter()
        .find(|row| row.fits(&operands, words))
        .map(|row| row.effect)
}

impl Row {
    fn fits(&self, operands: &[&str], words: &[Word]) -> bool {
        let mut operands = operands.iter();
        self.tokens.iter().all(|token| {
            let (options, subs): (Vec<&str>, Vec<&str>) =
                token.iter().partition(|word| word.starts_with('-'));
            options.iter().any(|option| has_option(words, option))
                || !subs.is_empty()
                    && operands
                        .next()
                        .is_some_and(|operand| subs.iter().any(|sub| is(sub, operand)))
        })
    }
}

/// Whether a word is what a row names.
fn is(pattern: &str, word: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(""), _) => true,
        (_, Some(begin)) => word.starts_with(begin),
        (Some(end), None) => word.ends_with(end),
        (None, None) => pattern.eq_ignore_ascii_case(word),
    }
}
