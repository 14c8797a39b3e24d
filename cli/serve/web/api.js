"use strict";
// Requests to the server. Nothing else is ever asked.

class NeedsKey extends Error {}

const api = {
  key: sessionStorage.getItem("lore-key") || "",

  headers(more = {}) {
    return this.key ? { ...more, Authorization: "Bearer " + this.key } : more;
  },

  async fetch(path, options = {}) {
    const response = await fetch(path, { ...options, headers: this.headers(options.headers) });
    if (response.status === 401) throw new NeedsKey();
    if (response.ok) return response;
    const problem = await response.json().catch(() => null);
    throw new Error(problem?.error?.message ?? response.statusText);
  },

  async get(path) {
    return (await this.fetch(path)).json();
  },

  async post(path, body, signal) {
    return this.fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body), signal,
    });
  },

  /// The events of a streamed answer.
  async *events(path, body, signal) {
    const response = await this.post(path, body, signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let held = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      held += value;
      let end;
      while ((end = held.indexOf("\n\n")) >= 0) {
        const line = held.slice(0, end);
        held = held.slice(end + 2);
        if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
        const event = JSON.parse(line.slice(6));
        if (event.error) throw new Error(event.error.message);
        yield event;
      }
    }
  },

  document(name) {
    return this.get("/documents/" + encodeURIComponent(name));
  },

  /// Opens the file itself, a PDF at its page.
  async openFile(name, page) {
    const path = "/documents/" + encodeURIComponent(name) + "/file";
    const place = page > 1 ? "#page=" + page : "";
    if (!this.key) {
      window.open(path + place, "_blank", "noopener");
      return;
    }
    // A link cannot carry the key.
    const url = URL.createObjectURL(await (await this.fetch(path)).blob());
    window.open(url + place, "_blank", "noopener");
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  },
};
