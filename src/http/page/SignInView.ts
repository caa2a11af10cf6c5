/** The page on which people sign in: from what it shows to HTML. */
import { type Html, html, said } from "./Html.ts"
import { announced, fieldOf, type PageContent, signedInFooter } from "./Layout.ts"
import type { Spoken } from "./texts/Texts.ts"

export const handleMax = 1000
export const passwordMax = 10_000
export const codeMax = 100

interface Shown {
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
  /** Whether there are codes by email. */
  readonly sendsCodes: boolean
  /** The other services whose accounts people sign in with. */
  readonly elsewhere: ReadonlyArray<{ readonly name: string; readonly link: string }>
  readonly refusal?: Refusal<SignInField>
}

/** The refusal of a form, which its fields refer to. */
const announcedRefusal = (refusal: Refusal<string> | undefined) =>
  refusal === undefined ? undefined : announced(refusal.text)

const otherWays = ({ elsewhere, root, sendsCodes, texts: { signIn } }: SignInForm): Html | undefined =>
  elsewhere.length === 0 && !sendsCodes
    ? undefined
    : html`<div class="or">
<h2>${signIn.or}</h2>
${sendsCodes ? html`<a class="button other" href="${root}login/code">${signIn.withCode}</a>` : undefined}
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

const toPassword = ({ root, texts }: Shown) =>
  html`<p class="or"><a href="${root}login">${texts.code.withPassword}</a></p>`

export interface AddressForm extends Shown {
  readonly address?: string
  readonly refusal?: Refusal<"email">
}

/** The page on which people ask for a code. */
export const addressPage = (form: AddressForm): PageContent => {
  const { address, refusal, root, texts } = form
  return {
    title: texts.code.title,
    isError: refusal !== undefined,
    body: html`${announcedRefusal(refusal)}
<p>${texts.code.intro}</p>
<form method="post" action="${root}login/code">
${fieldOf({
  name: "email",
  label: texts.code.address,
  type: "email",
  autocomplete: "email",
  maxlength: handleMax,
  isWrong: refusal?.field === "email",
  isFirst: true,
  ...(address === undefined ? {} : { value: address })
})}
<button>${texts.code.send}</button>
</form>
${toPassword(form)}`
  }
}

export interface CodeForm extends Shown {
  readonly address: string
  readonly refusal?: Refusal<"code">
}

/** The page on which people enter the code that they were sent. */
export const codePage = (form: CodeForm): PageContent => {
  const { address, refusal, root, texts } = form
  return {
    title: texts.code.title,
    isError: refusal !== undefined,
    body: html`${announcedRefusal(refusal)}
<p>${texts.code.sentTo} <strong>${said(address)}</strong></p>
<form method="post" action="${root}login/code/check">
<input type="hidden" name="email" value="${address}">
${fieldOf({
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
<form method="post" action="${root}login/code">
<input type="hidden" name="email" value="${address}">
<button class="other">${texts.code.again}</button>
</form>
${toPassword(form)}`
  }
}
