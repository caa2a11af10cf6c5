/** The pages on which people ask for a code, and enter it: from what they show to HTML. */
import { type CodeWayName, codePaths } from "./CodeWays.ts"
import { html, said } from "./Html.ts"
import { type Field, fieldOf, type PageContent } from "./Layout.ts"
import { announcedRefusal, type Refusal, type Shown } from "./SignInView.ts"

export const codeMax = 100

const toPassword = ({ root, texts }: Shown) =>
  html`<p class="or"><a href="${root}login">${texts.code.withPassword}</a></p>`

interface AskForm extends Shown {
  readonly way: CodeWayName
  /** Where a code goes, as it was entered, by the names of fields. */
  readonly fields: ReadonlyArray<
    Pick<Field, "name" | "label" | "type" | "autocomplete" | "maxlength" | "value">
  >
  readonly refusal?: Refusal<string> | undefined
}

/** The page on which people ask for a code. */
export const askPage = ({ fields, refusal, root, texts, way }: AskForm): PageContent => {
  const first = refusal?.field ?? fields[0]?.name
  return {
    title: texts.code.title,
    isError: refusal !== undefined,
    body: html`${announcedRefusal(refusal)}
<p>${texts.code.ways[way].intro}</p>
<form method="post" action="${root}${codePaths[way]}">
${fields.map((field) =>
  fieldOf({ ...field, isWrong: field.name === refusal?.field, isFirst: field.name === first })
)}
<button>${texts.code.send}</button>
</form>
${toPassword({ root, texts })}`
  }
}

interface CodeForm extends Shown {
  readonly way: CodeWayName
  /** Where the code went. */
  readonly receiver: string
  /** The same by the names of fields. */
  readonly to: ReadonlyArray<readonly [name: string, value: string]>
  readonly refusal?: Refusal<"code"> | undefined
}

/** The page on which people enter the code that they were sent. */
export const codePage = ({ receiver, refusal, root, texts, to, way }: CodeForm): PageContent => {
  const hidden = to.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)
  return {
    title: texts.code.title,
    isError: refusal !== undefined,
    body: html`${announcedRefusal(refusal)}
<p>${texts.code.ways[way].sentTo} <strong>${said(receiver)}</strong></p>
<form method="post" action="${root}${codePaths[way]}/check">
${hidden}${fieldOf({
  name: "code",
  label: texts.code.code,
  className: "code",
  autocomplete: "one-time-code",
  inputmode: "numeric",
  maxlength: codeMax,
  isWrong: refusal?.field === "code",
  isFirst: true
})}
<button>${texts.code.submit}</button>
</form>
<form method="post" action="${root}${codePaths[way]}">
${hidden}<button class="other">${texts.code.again}</button>
</form>
${toPassword({ root, texts })}`
  }
}
