/** The pages under `/api/problems`: what each problem means. */
import type { ProblemType } from "../../domain/shared/Problem.ts"

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Text with `code` in it. */
const marked = (text: string) => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

const style = `:root{color-scheme:light dark;font:17px/1.6 system-ui,sans-serif}
body{max-width:42rem;margin:3rem auto;padding:0 1.25rem}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1.25rem}
dt{opacity:.7}dd{margin:0 0 .75rem}
code{font-family:ui-monospace,monospace;font-size:.92em}
table{border-collapse:collapse}td,th{text-align:left;padding:.25rem 1rem .25rem 0;vertical-align:top}`

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`

/** The content security policy of the pages. */
export const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

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
