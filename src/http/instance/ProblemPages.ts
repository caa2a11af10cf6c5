/** The pages under `/api/problems`: what each problem means. Problems are described in English, in all languages. */
import type { ProblemType } from "../../domain/shared/Problem.ts"
import { html, withCode } from "../page/Html.ts"
import type { PageContent } from "../page/Layout.ts"
import type { Asking } from "../page/PageAnswer.ts"

const english = "en"

export const problemPage = (
  { explanation, name, status, title, type }: ProblemType,
  { root, texts: { front, problems } }: Asking
): PageContent => ({
  title,
  titleIn: english,
  body: html`<p lang="${english}">${withCode(explanation)}</p>
<dl>
<dt>${problems.status}</dt><dd>${status}</dd>
<dt>${problems.name}</dt><dd><code>${name}</code></dd>
<dt>${problems.type}</dt><dd><code>${type}</code></dd>
</dl>
<p><a href="${root}api/problems">${problems.all}</a></p>
<p><a href="${root}api/docs">${front.reference}</a></p>`
})

const problemsWith = (status: number, all: ReadonlyArray<ProblemType>, root: string) =>
  html`<h2>${status}</h2>
<ul>
${all
  .filter((problem) => problem.status === status)
  .map(
    ({ name, title }) =>
      html`<li><a lang="${english}" href="${root}api/problems/${name}">${title}</a><br><code>${name}</code></li>`
  )}
</ul>
`

export const problemListPage = (
  problemTypes: ReadonlyArray<ProblemType>,
  { root, texts: { problems } }: Asking
): PageContent => {
  const statuses = [...new Set(problemTypes.map(({ status }) => status))].toSorted((a, b) => a - b)
  return {
    title: problems.title,
    body: html`<p>${withCode(problems.intro)}</p>
${statuses.map((status) => problemsWith(status, problemTypes, root))}`
  }
}
