//! What an ask is about, written out.

use sayso_core::action::{Act, Action, Flag};
use sayso_core::ask::{Matter, Question};
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};

use super::pen::ObjectWriter;

pub(super) fn matter(map: &mut ObjectWriter<'_>, matter: &Matter) {
    match matter {
        Matter::Questions(questions) => map.objects("questions", questions, question),
        Matter::Approval(approved) => map.object("action", |map| action(map, approved)),
        Matter::Form(filled) => map.object("form", |map| form(map, filled)),
    }
}

fn question(map: &mut ObjectWriter<'_>, question: &Question) {
    map.text("text", &question.text);
    map.text_if("tag", question.tag.as_deref());
    map.text("pick", question.pick.word());
    map.objects("choices", &question.choices, |map, choice| {
        map.text("label", &choice.label);
        map.text_if("description", choice.description.as_deref());
        map.text_if("preview", choice.preview.as_deref());
        map.flag("recommended", choice.recommended);
    });
    map.text("look", question.look.word());
    map.texts("default", question.default.iter().map(String::as_str));
    map.boolean("free_text", question.free_text);
    map.boolean("required", question.required);
}

fn action(map: &mut ObjectWriter<'_>, action: &Action) {
    map.text("tool", &action.tool);
    map.text("input", &action.input);
    let schema = action.tool_schema.map(|schema| schema.to_string());
    map.text_if("tool_schema", schema.as_deref());
    if let Some(links) = &action.links {
        map.object("links", |map| {
            map.boolean("resolved", true);
            if !links.escapes.is_empty() {
                map.texts("escapes", links.escapes.iter().map(String::as_str));
            }
        });
    }
    map.text_if("cwd", action.cwd.as_deref());
    map.text_if("reason", action.reason.as_deref());
    map.object("act", |map| match &action.act {
        Act::Shell { command } => {
            map.text("kind", "shell");
            map.text("command", command);
        }
        Act::Edit { path, old, new } => {
            map.text("kind", "edit");
            map.text("path", path);
            map.text("old", old);
            map.text("new", new);
        }
        Act::Write { path, content } => {
            map.text("kind", "write");
            map.text("path", path);
            map.text("content", content);
        }
        Act::Other => map.text("kind", "other"),
    });
    map.text("risk", action.risk.level.word());
    map.texts("reasons", action.risk.reasons.iter().map(String::as_str));
    map.objects("spans", &action.risk.spans, |map, span| {
        map.number("reason", span.reason);
        map.number("start", span.start);
        map.number("end", span.end);
    });
    map.texts("flags", action.flags.iter().copied().map(Flag::word));
}

fn form(map: &mut ObjectWriter<'_>, form: &Form) {
    map.text("message", form.message());
    match form {
        Form::Fields { fields, message: _ } => map.objects("fields", fields, field),
        Form::Page { url, message: _ } => map.text("url", url),
    }
}

fn field(map: &mut ObjectWriter<'_>, field: &Field) {
    map.text("name", &field.name);
    map.text_if("title", field.title.as_deref());
    map.text_if("description", field.description.as_deref());
    match &field.kind {
        FieldKind::Text {
            format,
            min_length,
            max_length,
            default,
        } => {
            map.text("kind", "text");
            map.text_if("format", format.map(TextFormat::word));
            map.number_if("min_length", *min_length);
            map.number_if("max_length", *max_length);
            map.text_if("default", default.as_deref());
        }
        FieldKind::Number(range) => ranged(map, "number", range),
        FieldKind::Integer(range) => ranged(map, "integer", range),
        FieldKind::Boolean { default } => {
            map.text("kind", "boolean");
            if let Some(default) = default {
                map.boolean("default", *default);
            }
        }
        FieldKind::OneOf { choices, default } => {
            map.text("kind", "one_of");
            options(map, choices);
            map.text_if("default", default.as_deref());
        }
        FieldKind::ManyOf {
            choices,
            min_items,
            max_items,
            default,
        } => {
            map.text("kind", "many_of");
            options(map, choices);
            map.number_if("min_items", *min_items);
            map.number_if("max_items", *max_items);
            if !default.is_empty() {
                map.texts("default", default.iter().map(String::as_str));
            }
        }
        FieldKind::Secret => map.text("kind", "secret"),
    }
    map.boolean("required", field.required);
}

fn ranged(map: &mut ObjectWriter<'_>, kind: &str, range: &Range) {
    map.text("kind", kind);
    map.exact_if("min", range.min.as_ref());
    map.exact_if("max", range.max.as_ref());
    map.exact_if("default", range.default.as_ref());
}

fn options(map: &mut ObjectWriter<'_>, choices: &[FieldChoice]) {
    map.objects("options", choices, |map, choice| {
        map.text("value", &choice.value);
        map.text_if("title", choice.title.as_deref());
    });
}
