/** What every page has around what it is for. */
import { toLine } from "../../domain/field/Text.ts"
import { type Html, html, said } from "./Html.ts"
import type { Language, Spoken } from "./texts/Texts.ts"

/** What a page is for. */
export interface PageContent {
  /** The title, which is also its heading. */
  readonly title: string
  readonly body: Html
  /** The language of the title, where it is none of the page. */
  readonly titleIn?: Language
  /** Whether it says that something was refused. */
  readonly isError?: boolean
}

/** Where a page is shown. */
export interface Surroundings {
  readonly texts: Spoken
  /** What the instance is called. */
  readonly instance: string
  /** The way from the page to the address of the service, which ends in a slash. */
  readonly root: string
  readonly style: Html
}

export const documentOf = (
  { body, isError = false, title, titleIn }: PageContent,
  { instance, root, style, texts }: Surroundings
): Html => html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${isError ? `${texts.layout.error}: ` : ""}${title} – ${toLine(instance)}</title>
<link rel="icon" href="${root}api/info/icon/32x32">
<style>${style}</style>
</head>
<body>
<header><img src="${root}api/info/icon/120x120" alt="" width="40" height="40"><p>${said(instance)}</p></header>
<main>
<h1${titleIn === undefined ? undefined : html` lang="${titleIn}"`}>${title}</h1>
${body}
</main>
</body>
</html>
`

/** Something that is told to who listens as soon as the page is there, and that the keyboard goes on from. */
export const announced = (text: Html | string, id = "error"): Html =>
  html`<div class="error" id="${id}" role="alert" tabindex="-1"><p>${text}</p></div>`

/** Who is signed in, and the way to be somebody else. */
export const signedInFooter = (
  handle: string,
  { root, texts }: Pick<Surroundings, "root" | "texts">
): Html => html`<footer>
${texts.layout.signedInAs} <strong>${said(handle)}</strong>.
<form method="post" action="${root}api/auth/logout"><button class="plain">${texts.layout.signOut}</button></form>
</footer>`

export interface Field {
  readonly name: string
  readonly label: string
  readonly type?: "text" | "password" | "email" | "tel"
  readonly value?: string | undefined
  readonly autocomplete: string
  readonly maxlength: number
  readonly inputmode?: "numeric" | "text" | "email"
  readonly className?: string
  readonly hint?: string
  /** What is wrong with what was entered. It is announced elsewhere on the page, as `error`. */
  readonly isWrong?: boolean
  /** Whether the keyboard begins here. */
  readonly isFirst?: boolean
}

/** A field of a form with its label. */
export const fieldOf = (field: Field): Html => {
  const { autocomplete, className, hint, inputmode, isFirst, isWrong, label, maxlength, name, type, value } =
    field
  const described = [...(isWrong ? ["error"] : []), ...(hint === undefined ? [] : [`${name}-hint`])].join(" ")
  const attributes = [
    html` maxlength="${maxlength}" autocomplete="${autocomplete}" autocapitalize="none" autocorrect="off" spellcheck="false"`,
    value === undefined ? html`` : html` value="${value}"`,
    inputmode === undefined ? html`` : html` inputmode="${inputmode}"`,
    className === undefined ? html`` : html` class="${className}"`,
    described === "" ? html`` : html` aria-describedby="${described}"`,
    isWrong ? html` aria-invalid="true"` : html``,
    isFirst ? html` autofocus` : html``
  ]
  return html`<label for="${name}">${label}</label>
${hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="${type ?? "text"}" required${attributes}>`
}
