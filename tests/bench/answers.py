#!/usr/bin/env python3
"""Asks labelled questions and counts what comes back: answers, refusals, supported sentences.

The questions are those of examples/questions.jsonl and, where there is one, of a folder in the layout
of the SQuAD 2.0 collection of the shared test data: docs/*.txt, questions.jsonl and
off_corpus_questions.jsonl. Of its questions a sample is asked, drawn by --seed: answerable ones,
unanswerable ones about the same articles, and ones about articles that are not there.
"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def without_articles(text):
    words = "".join(c.lower() if c.isalnum() else " " for c in text).split()
    return " ".join(word for word in words if word not in ("a", "an", "the"))


def holds_answer(answer, question):
    expected = question.get("answers") or [question.get("answer") or ""]
    return any(e and without_articles(e) in without_articles(answer) for e in expected)


def ask(lore, folder, index, questions, flags):
    asked = folder / "questions.jsonl"
    with open(asked, "w", encoding="utf-8") as out:
        for question in questions:
            print(json.dumps({"id": question["id"], "question": question["question"]}), file=out)
    answered = folder / "answers.jsonl"
    answered.unlink(missing_ok=True)
    subprocess.run([lore, "batch", asked, "--index", index, "-o", answered, "-q", *flags],
                   check=True)
    return {answer["id"]: answer for answer in read(answered)}


def count(name, questions, answers, show):
    rows = [(question, answers[question["id"]]) for question in questions]
    found = [(q, a) for q, a in rows if a["status"] == "answered"]
    statuses = [{c["status"] for c in a["citations"]} for _, a in found]
    sentences = sum(len(a["citations"]) + len(a["uncited"]) for _, a in found)
    unsupported = sum(len(a["uncited"]) + sum(c["status"] == "unsupported" for c in a["citations"])
                      for _, a in found)
    print(f"{name:34}{len(rows):5}"
          f"{sum(a['status'] == 'not_in_documents' for _, a in rows):9}"
          f"{sum(not a['evidence']['sufficient'] for _, a in rows):9}"
          f"{sum(a['withdrawn'] is not None for _, a in rows):11}"
          f"{sum('verified' in s for s in statuses):10}"
          f"{sum('weak' in s and 'verified' not in s for s in statuses):6}"
          f"{sum(holds_answer(a['answer'], q) for q, a in found):8}"
          f"{unsupported:8} of {sentences}", flush=True)
    if show:
        for question, answer in rows:
            marks = ",".join(c["status"] for c in answer["citations"])
            print(f"    {question['question']}\n      {answer['status']} [{marks}] "
                  f"{answer['answer']!r}", end="")
            print(f" withdrawn: {answer['withdrawn']!r}" if answer["withdrawn"] else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lore", default=ROOT / "build" / "release" / "lore", type=pathlib.Path)
    parser.add_argument("--squad", type=pathlib.Path,
                        default=ROOT.parent / "shared" / "data" / "retrieval" / "squad2")
    parser.add_argument("--sample", type=int, default=30, help="questions of each kind")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other questions")
    parser.add_argument("--show", action="store_true", help="print each question and its answer")
    parser.add_argument("flags", nargs="*", help="flags of `lore batch`, after --")
    arguments = parser.parse_args()
    print(f"{'questions':34}{'':5}{'refused':>9}{'by rule':>9}{'withdrawn':>11}{'verified':>10}"
          f"{'weak':>6}{'holds':>8}{'unsupported sentences':>24}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(index, kinds):
            questions = [q for _, group in kinds for q in group]
            answers = ask(arguments.lore, folder, index, questions, arguments.flags)
            for kind, group in kinds:
                count(kind, group, answers, arguments.show)

        def make_index(documents, index):
            subprocess.run([arguments.lore, "index", documents, "--index", index, "-q"],
                           check=True, stdout=subprocess.DEVNULL)
            return index

        examples = read(ROOT / "examples" / "questions.jsonl")
        run(make_index(ROOT / "examples" / "documents", folder / "examples"),
            [("examples, answerable", [q for q in examples if q["answerable"]]),
             ("examples, not answerable", [q for q in examples if not q["answerable"]])])
        if not arguments.squad.is_dir():
            print(f"{arguments.squad} is not on this machine: no further questions")
            return
        draw = random.Random(arguments.seed)
        asked = read(arguments.squad / "questions.jsonl")
        absent = read(arguments.squad / "off_corpus_questions.jsonl")
        groups = [("SQuAD, answerable", [q for q in asked if q["answerable"]]),
                  ("SQuAD, unanswerable, same articles", [q for q in asked if not q["answerable"]]),
                  ("SQuAD, about other articles", absent)]
        run(make_index(arguments.squad / "docs", folder / "squad"),
            [(kind, draw.sample(group, min(arguments.sample, len(group))))
             for kind, group in groups])


if __name__ == "__main__":
    main()
