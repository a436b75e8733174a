// Draws openapi.json. Every text goes in as text, never as markup.
"use strict";

const METHODS = ["get", "post", "put", "delete"];

function make(name, text, children) {
  const node = document.createElement(name);
  if (text) node.textContent = text;
  for (const child of children || []) node.append(child);
  return node;
}

function link(to, text) {
  const node = make("a", text);
  node.href = "#" + to;
  return node;
}

function quiet(text) {
  const node = make("span", text);
  node.className = "quiet";
  return node;
}

// What a schema is, in a few words, with links to the schemas it names.
function kind(schema) {
  if (!schema) return quiet("anything");
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return link("schema-" + name, name);
  }
  const parts = schema.oneOf || schema.anyOf || schema.allOf;
  if (parts) {
    const node = make("span");
    parts.forEach((part, at) => {
      if (at > 0) node.append(schema.allOf ? " and " : " or ");
      node.append(kind(part));
    });
    return node;
  }
  if (schema.enum) return make("code", schema.enum.map((value) => JSON.stringify(value)).join(" | "));
  if (schema.type === "array") return make("span", "list of ", [kind(schema.items)]);
  const types = [].concat(schema.type || "object").join(" or ");
  return make("span", schema.format ? types + " (" + schema.format + ")" : types);
}

function row(name, schema, required, description) {
  const first = make("th", "", [make("code", name)]);
  const second = make("td", "", [kind(schema)]);
  if (!required) second.append(quiet(" optional"));
  return make("tr", "", [first, second, make("td", description || "")]);
}

function properties(schema) {
  const table = make("table");
  const body = make("tbody");
  const required = schema.required || [];
  for (const [name, inner] of Object.entries(schema.properties || {})) {
    body.append(row(name, inner, required.includes(name), inner.description));
  }
  table.append(body);
  return table;
}

function first(content) {
  const types = Object.keys(content || {});
  return types.length ? content[types[0]].schema : null;
}

function route(path, method, about) {
  const node = make("article");
  const id = method + path.replace(/[^a-z0-9]+/gi, "-");
  const word = make("span", method.toUpperCase());
  word.className = "method";
  const head = make("h3", "", [word, " ", make("code", path)]);
  head.id = id;
  node.append(head);
  node.append(make("p", [about.summary, about.description].filter(Boolean).join(" ")));
  const roles = (about.security || []).map((one) => Object.keys(one)[0]).filter(Boolean);
  node.append(make("p", "", [quiet(roles.length ? "Token: " + roles.join(" or ") : "No token")]));
  const table = make("tbody");
  for (const one of about.parameters || []) {
    table.append(row(one.in + " " + one.name, one.schema, one.required, one.description));
  }
  if (about.requestBody) table.append(row("body", first(about.requestBody.content), true, ""));
  for (const [status, reply] of Object.entries(about.responses || {})) {
    const schema = first(reply.content);
    const cells = [make("th", "", [make("code", status)]), make("td", "", schema ? [kind(schema)] : []), make("td", reply.description || "")];
    table.append(make("tr", "", cells));
  }
  node.append(make("table", "", [table]));
  return { node, id };
}

function draw(api) {
  document.getElementById("about").textContent = api.info.description || "";
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const method of METHODS) {
      const about = methods[method];
      if (!about) continue;
      const tag = (about.tags || ["other"])[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push({ path, method, about });
    }
  }
  const routes = document.getElementById("routes");
  const index = document.getElementById("index");
  for (const [tag, list] of groups) {
    const title = tag.charAt(0).toUpperCase() + tag.slice(1);
    routes.append(make("h2", title));
    const items = make("ul");
    for (const { path, method, about } of list) {
      const drawn = route(path, method, about);
      routes.append(drawn.node);
      items.append(make("li", "", [link(drawn.id, method.toUpperCase() + " " + path)]));
    }
    index.append(make("p", title), items);
  }
  const schemas = document.getElementById("schemas");
  schemas.append(make("h2", "Shapes"));
  for (const [name, schema] of Object.entries((api.components || {}).schemas || {})) {
    const head = make("h3", name);
    head.id = "schema-" + name;
    schemas.append(head, make("p", schema.description || ""));
    if (schema.properties) schemas.append(properties(schema));
    else schemas.append(make("p", "", [kind(schema)]));
  }
  if (location.hash) location.replace(location.hash);
}

fetch("/openapi.json")
  .then((reply) => (reply.ok ? reply.json() : Promise.reject(new Error("the server replied " + reply.status))))
  .then(draw)
  .catch((error) => {
    document.getElementById("about").textContent = "openapi.json could not be read: " + error.message;
  });
