/** The page on which people sign in: from what it shows to HTML. */
import { type CodeWayName, codePaths } from "./CodeWays.ts"
import { type Html, html, said } from "./Html.ts"
import { announced, fieldOf, type PageContent, signedInFooter } from "./Layout.ts"
import type { Spoken } from "./texts/Texts.ts"

export const handleMax = 1000
export const passwordMax = 10_000

export interface Shown {
  readonly texts: Spoken
  readonly root: string
}

/** Why a form was refused, and the field that it is about, if it is about one. */
export interface Refusal<Field extends string> {
  readonly text: string
  readonly field?: Field
}

export type SignInField = "identifier" | "password"

export interface SignInForm extends Shown {
  readonly identifier?: string
  /** Whether an email address does in the place of a handle. */
  readonly takesAddresses: boolean
  /** The ways in which codes come. */
  readonly codesBy: ReadonlyArray<CodeWayName>
  /** The other services whose accounts people sign in with. */
  readonly elsewhere: ReadonlyArray<{ readonly name: string; readonly link: string }>
  readonly refusal?: Refusal<SignInField>
}

/** The refusal of a form, which its fields refer to. */
export const announcedRefusal = (refusal: Refusal<string> | undefined): Html | undefined =>
  refusal === undefined ? undefined : announced(refusal.text)

const otherWays = ({ codesBy, elsewhere, root, texts: { signIn } }: SignInForm): Html | undefined =>
  elsewhere.length === 0 && codesBy.length === 0
    ? undefined
    : html`<div class="or">
<h2>${signIn.or}</h2>
${codesBy.map((way) => html`<a class="button other" href="${root}${codePaths[way]}">${signIn.withCode[way]}</a>`)}
${elsewhere.map(
  ({ link, name }) => html`<a class="button other" href="${link}">${said(signIn.withProvider(name))}</a>`
)}
</div>`

export const signInPage = (form: SignInForm): PageContent => {
  const { identifier = "", refusal, root, takesAddresses, texts } = form
  const { signIn } = texts
  const isPasswordNext = refusal?.field === "password" || (refusal === undefined && identifier !== "")
  return {
    title: signIn.title,
    isError: refusal !== undefined,
    body: html`${announcedRefusal(refusal)}
<form method="post" action="${root}login">
${fieldOf({
  name: "identifier",
  label: takesAddresses ? signIn.handleOrAddress : signIn.handle,
  value: identifier,
  autocomplete: "username",
  maxlength: handleMax,
  isWrong: refusal?.field === "identifier",
  isFirst: !isPasswordNext
})}
${fieldOf({
  name: "password",
  label: signIn.password,
  type: "password",
  autocomplete: "current-password",
  maxlength: passwordMax,
  isWrong: refusal?.field === "password",
  isFirst: isPasswordNext
})}
<button>${signIn.submit}</button>
</form>
${otherWays(form)}`
  }
}

export const signedInPage = ({ handle, root, texts }: Shown & { readonly handle: string }): PageContent => ({
  title: texts.signIn.done,
  body: html`<p><a href="${root}">${texts.layout.frontPage}</a></p>
${signedInFooter(handle, { root, texts })}`
})
