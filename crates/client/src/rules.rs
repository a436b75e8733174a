//! The calls about rules: reading, trying, making and taking back.

use crate::call::HttpCall;
use crate::client::Client;
use crate::error::ClientError;
use crate::query::escaped;
use crate::wire::{
    NewRule, Offers, Presets, RulePast, RuleRow, RuleTest, Rules, RulingRow, Suggestions,
};

impl Client {
    /// Every rule that was not taken back.
    pub async fn rules(&self) -> Result<Rules, ClientError> {
        self.read_at("/v1/rules").await
    }

    /// The vetted forms.
    pub async fn rule_presets(&self) -> Result<Presets, ClientError> {
        self.read_at("/v1/rules/presets").await
    }

    /// What could be a rule, going by what people decided.
    pub async fn rule_suggestions(&self) -> Result<Suggestions, ClientError> {
        self.read_at("/v1/rules/suggestions").await
    }

    /// What a rule did, or would have done, since it was made.
    pub async fn rule_past(&self, id: &str) -> Result<RulePast, ClientError> {
        self.read_at(format!("/v1/rules/{}/past", escaped(id)))
            .await
    }

    /// Makes a rule.
    pub async fn new_rule(&self, rule: &NewRule) -> Result<RuleRow, ClientError> {
        self.post_to("/v1/rules", rule).await
    }

    /// Makes all rules of a file, or none; the file is the JSON of [`crate::wire::RuleFile`], which
    /// is sent as it is so that the server can say what is wrong with it.
    pub async fn import_rules(&self, file: &serde_json::Value) -> Result<Rules, ClientError> {
        self.post_to("/v1/rules/import", file).await
    }

    /// Takes a rule back.
    pub async fn revoke_rule(&self, id: &str) -> Result<(), ClientError> {
        self.done(HttpCall::delete(format!("/v1/rules/{}", escaped(id))))
            .await
    }

    /// Puts a rule in force that only stood by.
    pub async fn activate_rule(&self, id: &str) -> Result<RuleRow, ClientError> {
        self.read(HttpCall::post(format!(
            "/v1/rules/{}/activate",
            escaped(id)
        )))
        .await
    }

    /// What the rules say to an act; nobody is asked.
    pub async fn test_rules(&self, test: &RuleTest) -> Result<RulingRow, ClientError> {
        self.post_to("/v1/rules/test", test).await
    }

    /// What the rules say to an ask.
    pub async fn ruling(&self, ask: &str) -> Result<RulingRow, ClientError> {
        self.read_at(format!("/v1/asks/{}/ruling", escaped(ask)))
            .await
    }

    /// What may be allowed for longer than once.
    pub async fn offers(&self, ask: &str) -> Result<Offers, ClientError> {
        self.read_at(format!("/v1/asks/{}/offers", escaped(ask)))
            .await
    }
}
