/** The pages under `/api/problems`: what each problem means. */
import type { ProblemType } from "../../domain/shared/Problem.ts"
import { escape, page } from "./Page.ts"

/** Text with `code` in it. */
const marked = (text: string) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

export const problemPage = ({ explanation, name, status, title, type }: ProblemType) =>
  page(
    title,
    `<p><a href="/api/problems">All problems</a></p>
<h1>${escape(title)}</h1>
<p>${marked(explanation)}</p>
<dl>
<dt>Status</dt><dd>${status}</dd>
<dt>Name</dt><dd><code>${escape(name)}</code></dd>
<dt>Type</dt><dd><code>${escape(type)}</code></dd>
</dl>
<p><a href="/api/docs">API reference</a></p>`
  )

export const problemListPage = (problemTypes: ReadonlyArray<ProblemType>) =>
  page(
    "Problems",
    `<h1>Problems</h1>
<p>Every failure of this API is one of these problems. The field <code>type</code> of the body is its address.</p>
<table>
<thead><tr><th>Status</th><th>Problem</th><th>Name</th></tr></thead>
<tbody>
${problemTypes
  .toSorted((a, b) => a.status - b.status)
  .map(
    ({ name, status, title, type }) =>
      `<tr><td>${status}</td><td><a href="${escape(type)}">${escape(title)}</a></td><td><code>${escape(name)}</code></td></tr>`
  )
  .join("\n")}
</tbody>
</table>`
  )
