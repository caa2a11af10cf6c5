import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountNotFound, AccountStronger, EmailAddress } from "../../domain/account/Account.ts"
import {
  EmailAddressNotFound,
  EmailAddressTaken,
  EmailVerification,
  NewEmailAddress,
  TooManyEmailAddresses
} from "../../domain/account/Email.ts"
import { ResetPageForeign, ResetToken, StaffResetMail } from "../../domain/authentication/ResetToken.ts"
import * as Text from "../../domain/field/Text.ts"
import { MailLimitReached } from "../../domain/mail/Outbox.ts"
import { AccountId, EmailAddressId } from "../../domain/shared/Id.ts"
import { accountsByCookieOrKey, membersWith } from "../contract/AccessPolicies.ts"
import { Deleted, Done } from "../contract/Empty.ts"
import { MailOperation } from "../contract/MailOperation.ts"
import { operation } from "../contract/Operation.ts"

const account = { account_id: AccountId.annotateKey({ description: "The id of the account" }) }

const targetProblems = [AccountNotFound, AccountStronger] as const

export class EmailAddressesApi extends HttpApiGroup.make("emailAddresses")
  .add(
    HttpApiEndpoint.post("add", "/self/emails", {
      payload: NewEmailAddress,
      success: EmailAddress,
      error: [EmailAddressTaken, TooManyEmailAddresses, MailLimitReached]
    })
      .middleware(MailOperation)
      .pipe(
        operation({
          id: "AccountEmailAdd",
          cost: "write",
          summary: "Add an email address to your account",
          description:
            "Sends a code to the address, which counts as verified once the code has been sent back. An address that the account has already is sent another code.",
          access: accountsByCookieOrKey
        })
      ),
    HttpApiEndpoint.delete("remove", "/self/emails/:email_address_id", {
      params: { email_address_id: EmailAddressId.annotateKey({ description: "The id of the address" }) },
      success: Done
    }).pipe(
      operation({
        id: "AccountEmailRemove",
        cost: "write",
        summary: "Remove an email address of your account",
        description:
          "Nobody signs in with it any more, and another account may have it. An id that is not one of your addresses changes nothing.",
        access: accountsByCookieOrKey
      })
    ),
    HttpApiEndpoint.patch("setVerified", "/:account_id/emails/:email_address_id/verified", {
      params: { ...account, email_address_id: Text.mark({ description: "The id of the address" }) },
      payload: EmailVerification,
      success: EmailAddress,
      error: [...targetProblems, EmailAddressNotFound]
    }).pipe(
      operation({
        id: "AccountManageUpdateEmailVerifiedStatus",
        cost: "write",
        summary: "Say whether an email address counts as verified",
        description:
          "An account with a verified address is verified by email; one without any is not, unless staff have verified it themselves. No mail is sent. The caller holds every permission of the account.",
        access: membersWith("MANAGE_ACCOUNTS")
      })
    ),
    HttpApiEndpoint.post("issueResetToken", "/:account_id/auth/password/reset-token", {
      params: account,
      success: ResetToken,
      error: targetProblems
    }).pipe(
      operation({
        id: "AccountPasswordResetTokenGet",
        cost: "write",
        summary: "Get a token that sets an account's password",
        description:
          "To be given to the owner of the account. It works once, within one hour; the one before no longer does. The caller holds every permission of the account.",
        access: membersWith("MANAGE_ACCOUNTS")
      })
    ),
    HttpApiEndpoint.post("mailResetToken", "/:account_id/auth/email-password/reset", {
      params: account,
      payload: StaffResetMail,
      success: Deleted,
      error: [...targetProblems, ResetPageForeign, EmailAddressNotFound, MailLimitReached]
    })
      .middleware(MailOperation)
      .pipe(
        operation({
          id: "AccountEmailPasswordReset",
          cost: "write",
          summary: "Mail an account a link to set a new password by",
          description:
            "To one of the addresses of the account. The caller holds every permission of the account.",
          access: membersWith("MANAGE_ACCOUNTS")
        })
      )
  )
  .prefix("/accounts")
  .annotateMerge(
    OpenApi.annotations({
      title: "email addresses",
      description: "Email addresses of accounts, and what staff do by them"
    })
  ) {}
