/** The pages on which people decide what programs may do for them: from what they show to HTML. */
import type { Consent } from "../../domain/oauthgrant/Consent.ts"
import { isScope, isStandardScope } from "../../domain/vocabulary/Scope.ts"
import { type Html, html, said } from "./Html.ts"
import { announced, fieldOf, type PageContent, signedInFooter } from "./Layout.ts"
import type { Refusal } from "./SignInView.ts"
import type { Spoken } from "./texts/Texts.ts"

/** How the one is spoken to who decides. */
export interface Consenting {
  readonly texts: Spoken
  readonly root: string
  /** What they are called. */
  readonly handle: string
}

/** What a program asks for. */
export interface Asked {
  readonly clientId: string
  /** What it calls itself. */
  readonly clientName: string
  readonly requested: ReadonlyArray<string>
  /** What it gets by an approval, as of now. */
  readonly granted: ReadonlyArray<string>
  /** Whether it gets all permissions of the account. */
  readonly inherits: boolean
}

export const askedBy = (consent: Consent): Asked => ({
  clientId: consent.client_id,
  clientName: consent.client_name,
  requested: consent.requested_scopes,
  granted: consent.granted_scopes,
  inherits: consent.inherits_user_permissions
})

const administrator = "ADMINISTRATOR"

const scopeText = ({ scopes }: Spoken, word: string): Html => {
  if (!isScope(word)) return html`<code>${word}</code>`
  return word === administrator ? html`<strong>${scopes[word]}</strong>` : html`${scopes[word]}`
}

/** Scopes in words; what an administrator may do, which is everything, first. */
const listOf = (texts: Spoken, words: ReadonlyArray<string>): Html =>
  html`<ul>${words
    .toSorted((one, other) => Number(other === administrator) - Number(one === administrator))
    .map((word) => html`<li>${scopeText(texts, word)}</li>`)}</ul>`

const labelled = (label: string, texts: Spoken, words: ReadonlyArray<string>): Html | undefined =>
  words.length === 0
    ? undefined
    : html`<h2>${label}</h2>
${listOf(texts, words)}`

const grantedList = (texts: Spoken, { granted, inherits }: Asked): Html => {
  const { consent } = texts
  if (inherits) {
    const standard = granted.filter(isStandardScope)
    return html`<p class="box"><strong>${consent.inherits}</strong></p>${labelled(consent.inheritsMore, texts, standard)}`
  }
  return labelled(consent.may, texts, granted) ?? html`<p class="box">${consent.mayNothing}</p>`
}

const askedFor = (texts: Spoken, asked: Asked): Html => {
  const { consent } = texts
  const { clientId, clientName, granted, requested } = asked
  const refused = requested.filter((word) => !granted.includes(word))
  return html`<p><strong>${said(clientName)}</strong> ${consent.asks}</p>
<p class="hint">${consent.id} <code>${said(clientId)}</code></p>
${grantedList(texts, asked)}
${labelled(consent.notGranted, texts, refused)}`
}

interface Decision {
  readonly action: string
  /** What is decided about: the name and the value of a field. */
  readonly about: readonly [name: string, value: string]
}

const decisionForm = ({ consent }: Spoken, { about: [name, value], action }: Decision): Html =>
  html`<form method="post" action="${action}">
<input type="hidden" name="${name}" value="${value}">
<div class="actions">
<button name="decision" value="approve">${consent.approve}</button>
<button name="decision" value="deny" class="other">${consent.deny}</button>
</div>
</form>
<p class="hint">${consent.until}</p>`

const web = /^(https?:\/\/)([^/?#]*)(.*)$/is
const thisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i

/** Where an approval leads, exactly, with what decides who that is emphasised: the host, or the scheme of a program. */
const leadingTo = ({ consent }: Spoken, address: string): Html => {
  const [, scheme, host = "", rest = ""] = web.exec(address) ?? []
  const [label, written] =
    scheme === undefined
      ? [
          consent.leadsToProgram,
          html`<strong>${address.slice(0, address.indexOf(":") + 1)}</strong>${address.slice(address.indexOf(":") + 1)}`
        ]
      : [
          thisMachine.test(host) ? consent.leadsHere : consent.leadsTo,
          html`${scheme}<strong>${host}</strong>${rest}`
        ]
  return html`<p>${label}</p>
<p class="box address" dir="ltr">${written}</p>`
}

export interface CodeConsent extends Consenting {
  readonly asked: Asked
  readonly requestId: string
  /** Where the browser goes on to, whatever is decided. */
  readonly redirect: string
}

/** The page to decide about a program that sent the browser here. */
export const codeConsentPage = ({
  asked,
  handle,
  redirect,
  requestId,
  root,
  texts
}: CodeConsent): PageContent => ({
  title: texts.consent.title,
  body: html`${askedFor(texts, asked)}
${leadingTo(texts, redirect)}
${decisionForm(texts, { action: `${root}oauth/authorize/consent`, about: ["request_id", requestId] })}
${signedInFooter(handle, { root, texts })}`
})

/** The page to enter the code on that a device shows. */
export const deviceEntryPage = ({
  code,
  handle,
  refusal,
  root,
  texts
}: Consenting & { readonly code?: string; readonly refusal?: Refusal<"user_code"> }): PageContent => ({
  title: texts.device.title,
  isError: refusal !== undefined,
  body: html`${refusal === undefined ? undefined : announced(refusal.text)}
<p>${texts.device.intro}</p>
<form method="get" action="${root}oauth/consent">
${fieldOf({
  name: "user_code",
  label: texts.device.code,
  hint: texts.device.hint,
  className: "code",
  autocomplete: "off",
  maxlength: 32,
  isWrong: refusal?.field === "user_code",
  isFirst: true,
  ...(code === undefined ? {} : { value: code })
})}
<button>${texts.device.submit}</button>
</form>
${signedInFooter(handle, { root, texts })}`
})

/** The page to decide about a device. */
export const deviceConsentPage = ({
  asked,
  handle,
  root,
  texts,
  userCode
}: Consenting & { readonly asked: Asked; readonly userCode: string }): PageContent => ({
  title: texts.consent.title,
  body: html`<p>${texts.device.compare}</p>
<p class="box code">${userCode}</p>
<p>${texts.device.warning}</p>
${askedFor(texts, asked)}
${decisionForm(texts, { action: `${root}oauth/consent`, about: ["user_code", userCode] })}
${signedInFooter(handle, { root, texts })}`
})

/** The page at the end of the way of a device. */
export const deviceDecidedPage = ({ device }: Spoken, status: "approved" | "denied"): PageContent => ({
  title: status === "approved" ? device.approvedTitle : device.deniedTitle,
  body: html`<p role="status">${status === "approved" ? device.approved : device.denied}</p>`
})

/** The page that says why there is nothing to decide. */
export const noConsentPage = ({ handle, root, texts }: Consenting, text: string): PageContent => ({
  title: texts.consent.failedTitle,
  isError: true,
  body: html`${announced(text)}${signedInFooter(handle, { root, texts })}`
})
