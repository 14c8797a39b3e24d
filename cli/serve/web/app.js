"use strict";
// The page. Text of documents and models is put in as text, never as markup.

const $ = (id) => document.getElementById(id);
let texts = TEXTS.en;
let asking = null;  // of the answer in hand

function say(name, ...values) {
  return texts[name].replace(/\{(\d)\}/g, (_, index) => values[index]);
}

function element(tag, options = {}, ...children) {
  const { className, ...rest } = options;
  const made = Object.assign(document.createElement(tag), rest);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// ---- language ----

function setLanguage(language) {
  texts = TEXTS[language] ?? TEXTS.en;
  document.documentElement.lang = language;
  $("language").value = language;
  for (const one of document.querySelectorAll("[data-text]")) one.textContent = say(one.dataset.text);
  for (const one of document.querySelectorAll("[data-hint]")) one.placeholder = say(one.dataset.hint);
  for (const one of document.querySelectorAll("[data-label]")) {
    one.setAttribute("aria-label", say(one.dataset.label));
  }
  localStorage.setItem("lore-language", language);
}

// ---- views ----

const VIEWS = ["ask", "search", "documents"];

function show(view) {
  for (const name of VIEWS) {
    $(name).hidden = name !== view;
    $("tab-" + name).setAttribute("aria-current", String(name === view));
  }
  if (view === "ask") $("question").focus();
  if (view === "search") $("query").focus();
  if (view === "documents") guarded(showDocuments);
}

function problem(message) {
  $("problem").textContent = message;
  $("problem").hidden = !message;
}

/// Runs what talks to the server, and tells what goes wrong.
async function guarded(work) {
  problem("");
  try {
    await work();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof NeedsKey) {
      $("key-form").hidden = false;
      $("key").focus();
      problem(say("need-key"));
    } else {
      problem(error instanceof TypeError ? say("offline") : error.message);
    }
  }
}

// ---- passages and citations ----

function placeOf(one) {
  const paged = one.document.toLowerCase().endsWith(".pdf");
  return one.document + (paged ? ", " + say("page", one.page_label || one.page) : "");
}

function placeButton(one, text) {
  const button = element("button", { type: "button", className: "place" }, text);
  button.addEventListener("click", () => guarded(() => view(one)));
  return button;
}

function passageItem(passage) {
  const snippet = passage.text.length > 280 ? passage.text.slice(0, 280) + "…" : passage.text;
  const heading = passage.heading.length ? " › " + passage.heading.join(" › ") : "";
  return element("li", { value: passage.rank }, placeButton(passage, placeOf(passage) + heading),
    element("span", { className: "snippet" }, snippet));
}

function citationItem(citation) {
  const item = element("li", { value: citation.n }, placeButton(citation, placeOf(citation)), " ",
    element("span", { className: citation.status }, "(" + say(citation.status) +
      (citation.stale ? "; " + say("stale") : "") + ")"));
  if (citation.quote) item.append(element("span", { className: "quote" }, "“" + citation.quote + "”"));
  return item;
}

/// The stored text around a passage or a quote, which is marked.
async function view(one) {
  const stored = await api.document(one.document);
  // Positions count code points.
  const characters = Array.from(stored.text);
  const page = stored.pages.find((p) => p.start <= one.start && one.start <= p.end);
  const from = page && page.end >= one.end ? page.start : Math.max(0, one.start - 1500);
  const to = page && page.end >= one.end ? page.end : Math.min(characters.length, one.end + 1500);
  const text = (begin, end) => characters.slice(begin, end).join("");
  const mark = element("mark", {}, text(one.start, one.end));
  $("viewer-title").textContent = placeOf(one);
  $("viewer-text").replaceChildren(text(from, one.start), mark, text(one.end, to));
  $("viewer-file").onclick = () => guarded(() => api.openFile(one.document, one.page));
  $("viewer").showModal();
  mark.scrollIntoView({ block: "center" });
}

/// The answer with its [n] as buttons.
function showAnswer(text, citations) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(/\[(\d+)\]/g)) {
    const citation = citations.find((one) => one.n === Number(match[1]));
    if (!citation) continue;
    parts.push(text.slice(at, match.index));
    const button = element("button", { type: "button", className: "cite" }, match[1]);
    button.setAttribute("aria-label", placeOf(citation));
    button.addEventListener("click", () => guarded(() => view(citation)));
    parts.push(button);
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  $("answer").replaceChildren(...parts);
  $("answer").hidden = !text;
}

// ---- asking ----

function showResult(answer) {
  const answered = answer.status === "answered";
  if (!answered) showAnswer(say("refused"), []);
  else if (answer.withdrawn) showAnswer(say("withdrawn") + "\n" + answer.answer, answer.citations);
  else showAnswer(answer.answer, answer.citations);
  $("citations").replaceChildren(...answer.citations.map(citationItem),
    ...answer.uncited.map((sentence) =>
      element("li", { className: "unsupported" }, say("uncited", sentence))));
  $("passages").replaceChildren(...answer.passages.map(passageItem));
  $("read").hidden = answer.passages.length === 0;
  $("read").open = !answered;
  $("ask-state").textContent = say("done", (answer.timings_ms.total / 1000).toFixed(1));
}

async function ask() {
  const question = $("question").value.trim();
  if (!question) {
    $("ask-state").textContent = say("empty");
    return;
  }
  asking = new AbortController();
  $("ask-button").disabled = true;
  $("stop-button").hidden = false;
  $("citations").replaceChildren();
  $("read").hidden = true;
  showAnswer("", []);
  $("ask-state").textContent = say("looking");
  let text = "";
  try {
    for await (const event of api.events("/ask", { question, stream: true }, asking.signal)) {
      if (event.type === "passages") {
        $("ask-state").textContent = say("reading", event.passages.length);
      } else if (event.type === "text") {
        text += event.text;
        $("ask-state").textContent = say("writing");
        showAnswer(text, []);
      } else if (event.type === "answer") {
        showResult(event.answer);
      }
    }
  } catch (error) {
    $("ask-state").textContent = error.name === "AbortError" ? say("stopped") : "";
    throw error;
  } finally {
    $("ask-button").disabled = false;
    $("stop-button").hidden = true;
    asking = null;
  }
}

// ---- searching ----

async function search() {
  const query = $("query").value.trim();
  if (!query) return;
  $("search-state").textContent = say("looking");
  const response = await api.post("/search", { query, k: 20 });
  const { results } = await response.json();
  $("hits").replaceChildren(...results.map(passageItem));
  $("search-state").textContent = results.length ? say("found", results.length) : say("nothing");
}

// ---- documents ----

function documentRow(one) {
  const notes = [...one.problems];
  if (one.pages_without_text) notes.unshift(say("no-text", one.pages_without_text));
  const open = element("button", { type: "button", className: "place" }, one.document);
  open.addEventListener("click", () => guarded(() => api.openFile(one.document, 1)));
  return element("tr", {}, element("td", {}, open), element("td", {}, String(one.pages)),
    element("td", {}, notes.join("; ")));
}

async function showDocuments() {
  const status = await api.get("/documents");
  $("documents-state").textContent = status.documents
    ? say("summary", status.documents, status.pages, status.chunks) : say("no-documents");
  $("problems").replaceChildren(...status.failed.map((one) =>
    element("li", {}, say("unreadable", one.path, one.reason))));
  $("list").querySelector("tbody").replaceChildren(...status.listed.map(documentRow));
  $("list").hidden = status.listed.length === 0;
}

/// One file after the other; each is in the index when the server answers.
async function upload(files) {
  for (const file of files) {
    $("documents-state").textContent = say("uploading", file.name);
    const response = await api.fetch("/documents?name=" + encodeURIComponent(file.name),
      { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
    const report = await response.json();
    if (report.failed.length) throw new Error(say("unreadable", file.name, report.failed[0].reason));
    await showDocuments();
    $("documents-state").textContent = say("uploaded", file.name);
  }
}

function listenForFiles() {
  const form = $("upload-form");
  $("upload").addEventListener("change", (event) => guarded(async () => {
    await upload(event.target.files);
    event.target.value = "";
  }));
  for (const name of ["dragenter", "dragover"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    form.addEventListener(name, () => form.classList.remove("over"));
  }
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    guarded(() => upload(event.dataTransfer.files));
  });
}

// ---- start ----

function start() {
  const wanted = localStorage.getItem("lore-language") ?? navigator.language.slice(0, 2);
  setLanguage(wanted in TEXTS ? wanted : "en");
  $("language").addEventListener("change", (event) => setLanguage(event.target.value));
  for (const name of VIEWS) $("tab-" + name).addEventListener("click", () => show(name));
  $("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!asking) guarded(ask);
  });
  $("question").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    $("ask-form").requestSubmit();
  });
  $("stop-button").addEventListener("click", () => asking?.abort());
  $("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(search);
  });
  $("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    api.key = $("key").value;
    sessionStorage.setItem("lore-key", api.key);
    $("key-form").hidden = true;
    guarded(showDocuments);
  });
  $("viewer-close").addEventListener("click", () => $("viewer").close());
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement.tagName);
    if (event.key === "/" && !typing && !$("viewer").open) {
      event.preventDefault();
      show($("search").hidden ? "ask" : "search");
    }
  });
  listenForFiles();
  show("ask");
  guarded(async () => {
    const health = await api.get("/health");
    $("upload-form").hidden = !health.upload;
    if (!health.index) problem(say("no-index"));
    else await showDocuments();
  });
}

start();
