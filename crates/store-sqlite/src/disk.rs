//! What the disk under the state is worth: how much room there is, and whether what is synced to it
//! outlives a power cut.

use std::path::Path;

use sayso_store::{Durability, StoreError};

use crate::fault::unusable;

/// Room that a start needs: the logs of both databases and their indexes.
const START_BYTES_MIN: u64 = 1024 * 1024;

const WHAT: &str = "cannot start in";

/// Refuses to start where there is hardly any room: everything would be refused at once.
pub(crate) fn check_room(folder: &Path) -> Result<(), StoreError> {
    let about = rustix::fs::statvfs(folder).map_err(|e| unusable(WHAT, folder, e))?;
    let is_root = crate::folder::our_user() == Some(0);
    let blocks = if is_root {
        about.f_bfree
    } else {
        about.f_bavail
    };
    enough(folder, blocks.saturating_mul(about.f_frsize))
}

fn enough(folder: &Path, free: u64) -> Result<(), StoreError> {
    if free < START_BYTES_MIN {
        let detail = format!(
            "the disk is full ({} KiB free, at least {} KiB are needed). Free some space, or choose another folder with --state",
            free / 1024,
            START_BYTES_MIN / 1024
        );
        return Err(unusable(WHAT, folder, detail));
    }
    Ok(())
}

/// What is known about a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Medium {
    /// Everything is gone when the machine restarts.
    Memory(&'static str),
    /// Whether a sync reaches a disk is for another machine or program to say.
    Remote(&'static str),
    /// A layer over another file system.
    Overlay,
    Disk,
}

#[cfg(target_os = "linux")]
fn medium(path: &Path) -> Medium {
    let Ok(about) = rustix::fs::statfs(path) else {
        return Medium::Disk;
    };
    // The numbers are those of the system's `magic.h`; the type of the field differs by machine.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers have 32 bits"
    )]
    match about.f_type as u32 {
        0x0102_1994 => Medium::Memory("tmpfs"),
        0x8584_58f6 => Medium::Memory("ramfs"),
        0x6969 => Medium::Remote("nfs"),
        0x0102_1997 => Medium::Remote("9p"),
        0x6573_5546 => Medium::Remote("fuse"),
        0xff53_4d42 | 0xfe53_4d42 | 0x517b => Medium::Remote("smb"),
        0x794c_7630 => Medium::Overlay,
        _ => Medium::Disk,
    }
}

#[cfg(not(target_os = "linux"))]
fn medium(_: &Path) -> Medium {
    Medium::Disk
}

/// What commits are worth on this disk, given what they are worth to SQLite.
pub(crate) fn judged(folder: &Path, by_sqlite: Durability) -> Durability {
    let medium = medium(folder);
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mount = mount_of(&mounts, folder);
    judge(by_sqlite, medium, mount, self::medium)
}

fn judge(
    by_sqlite: Durability,
    medium: Medium,
    mount: Option<&str>,
    medium_of: impl Fn(&Path) -> Medium,
) -> Durability {
    if by_sqlite != Durability::PowerLossSafe {
        return by_sqlite;
    }
    let option = |name: &str| {
        let options = mount.unwrap_or_default().split([' ', ',']);
        options.into_iter().any(|option| option == name)
    };
    match medium {
        Medium::Memory(name) => Durability::Unsafe(name.to_owned()),
        Medium::Remote(_) => Durability::ProcessCrashSafe,
        Medium::Overlay if option("volatile") => {
            Durability::Unsafe("overlay, mounted volatile".to_owned())
        }
        Medium::Overlay => {
            let mut options = mount.unwrap_or_default().split([' ', ',']);
            let upper = options.find_map(|option| option.strip_prefix("upperdir="));
            match upper.map(|upper| medium_of(Path::new(upper))) {
                Some(Medium::Memory(name)) => Durability::Unsafe(format!("overlay on {name}")),
                Some(Medium::Remote(_)) => Durability::ProcessCrashSafe,
                Some(Medium::Overlay | Medium::Disk) | None => Durability::PowerLossSafe,
            }
        }
        Medium::Disk if option("nobarrier") || option("barrier=0") => Durability::ProcessCrashSafe,
        Medium::Disk => Durability::PowerLossSafe,
    }
}

/// The line of the mount that a folder lies in.
fn mount_of<'a>(mounts: &'a str, folder: &Path) -> Option<&'a str> {
    let point = |line: &'a str| line.split(' ').nth(4);
    mounts
        .lines()
        .filter(|line| point(line).is_some_and(|point| folder.starts_with(point)))
        .max_by_key(|line| point(line).map_or(0, str::len))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        30 21 0:30 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/mem/up,workdir=/mem/w\n\
        31 21 0:31 / /quick rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w,volatile\n\
        32 21 8:1 / /old rw - ext3 /dev/sda1 rw,barrier=0";

    fn on(folder: &str, medium: Medium) -> String {
        let folder = Path::new(folder);
        let below = |path: &Path| {
            if path.starts_with("/mem") {
                Medium::Memory("tmpfs")
            } else {
                Medium::Disk
            }
        };
        let mount = mount_of(MOUNTS, folder);
        judge(Durability::PowerLossSafe, medium, mount, below).to_string()
    }

    #[test]
    fn a_start_without_room_is_refused_with_what_to_do() {
        let folder = Path::new("/state");
        assert!(enough(folder, START_BYTES_MIN).is_ok());
        let error = enough(folder, 12 * 1024).unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot start in /state: the disk is full (12 KiB free, at least 1024 KiB are needed). Free some space, or choose another folder with --state"
        );
    }

    #[test]
    fn a_disk_is_worth_what_its_file_system_is() {
        assert_eq!(on("/home/ann", Medium::Disk), "power-loss-safe");
        assert_eq!(on("/home/ann", Medium::Memory("tmpfs")), "UNSAFE (tmpfs)");
        assert_eq!(on("/home/ann", Medium::Remote("nfs")), "process-crash-safe");
        assert_eq!(on("/old/state", Medium::Disk), "process-crash-safe");
        assert_eq!(
            on("/merged/x", Medium::Overlay),
            "UNSAFE (overlay on tmpfs)"
        );
        assert_eq!(
            on("/quick/x", Medium::Overlay),
            "UNSAFE (overlay, mounted volatile)"
        );
        assert_eq!(on("/other", Medium::Overlay), "power-loss-safe");
        let weaker = Durability::ProcessCrashSafe;
        assert_eq!(
            judge(weaker.clone(), Medium::Disk, None, |_| Medium::Disk),
            weaker
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_is_known_as_memory() {
        // Every Linux has it.
        assert_eq!(medium(Path::new("/dev/shm")), Medium::Memory("tmpfs"));
    }
}
