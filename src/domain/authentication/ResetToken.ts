/** Setting a new password without the old one: what requests say, and how they fail. */
import { Result, Schema } from "effect"
import { EmailAddressText } from "../account/Email.ts"
import { withExample } from "../field/Example.ts"
import { secretText } from "../field/SecretText.ts"
import * as Text from "../field/Text.ts"
import { WebAddress } from "../field/WebAddress.ts"
import { EmailAddressId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { Password } from "./Password.ts"
import { resetPage, resetToken } from "./ResetExamples.ts"

/** The page that a mail leads to. */
export const TokenUrl = Schema.Struct({
  url: WebAddress.annotateKey({
    description: "A page of the frontend, on the host of the instance's web address"
  }),
  query: Text.visibleLine({
    max: 100,
    description: "The name of the query parameter in which the page expects the token"
  })
})
export interface TokenUrl extends Schema.Schema.Type<typeof TokenUrl> {}

export const ResetRequest = Schema.Struct({ email: EmailAddressText, token_url: TokenUrl })
  .annotate({
    identifier: "AuthEmailPasswordReset",
    description: "Which account has forgotten its password, and the page that the mail leads to"
  })
  .pipe(withExample({ email: "mimir@asgard.example", token_url: resetPage }))
export interface ResetRequest extends Schema.Schema.Type<typeof ResetRequest> {}

export const StaffResetMail = Schema.Struct({ email_address_id: EmailAddressId, token_url: TokenUrl })
  .annotate({
    identifier: "AccountEmailPasswordResetProps",
    description: "To which address of the account the mail goes, and the page that it leads to"
  })
  .pipe(withExample({ email_address_id: "dc0qdu7khh6uivg0009g", token_url: resetPage }))
export interface StaffResetMail extends Schema.Schema.Type<typeof StaffResetMail> {}

export const PasswordReset = Schema.Struct({
  token: Text.verbatim({ max: 1000, description: "The token from the mail, or from staff" }),
  new: Password,
  revoke_sessions: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Also end every other session of the account" })
  )
})
  .annotate({
    identifier: "AuthPasswordResetProps",
    description: "The token, and the password to set"
  })
  .pipe(withExample({ token: resetToken, new: "an even longer one" }))
export interface PasswordReset extends Schema.Schema.Type<typeof PasswordReset> {}

/** A token as staff get it. */
export const ResetToken = Schema.Struct({
  token: secretText("Sets the account's password once, within one hour")
})
  .annotate({ identifier: "AccountPasswordResetToken", description: "A token that sets a password" })
  .pipe(withExample({ token: resetToken }))
export interface ResetToken extends Schema.Schema.Type<typeof ResetToken> {}

export class ResetTokenInvalid extends Problem<ResetTokenInvalid>()("ResetTokenInvalid", {
  status: 401,
  title: "This token does not set a password, or no longer does",
  explanation:
    "A token is valid for one hour and works once. A newer one that was asked for from the same network for the same address, and any change of the password, end it. Ask for a new one."
}) {}

export class ResetPageForeign extends Problem<ResetPageForeign>()("ResetPageForeign", {
  status: 400,
  title: "The mail may lead to pages of this forum only",
  explanation:
    "Whoever has the token can set the password, so `token_url.url` must be on the host of the instance's web address, with any port, and without a user name.",
  metadata: { host: Schema.String, expected: Schema.String }
}) {}

/** The page to which a mail may lead: one on the host of the web address, whatever its port. */
export const decidePage = ({ url }: TokenUrl, web: URL): Result.Result<URL, ResetPageForeign> => {
  const page = new URL(url)
  const isOurs = page.hostname === web.hostname && `${page.username}${page.password}` === ""
  return isOurs
    ? Result.succeed(page)
    : Result.fail(new ResetPageForeign({ metadata: { host: page.hostname, expected: web.hostname } }))
}

/** The address with the token as a query parameter of this name; the rest of its query stays. */
export const linkWith = (page: URL, name: string, token: string): string => {
  const link = new URL(page)
  const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(token)}`
  if (link.searchParams.has(name)) link.searchParams.set(name, token)
  else link.search = link.search === "" ? parameter : `${link.search}&${parameter}`
  return link.href
}
