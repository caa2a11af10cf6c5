import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { HandleInvalid, HandleTaken } from "../../domain/account/Account.ts"
import { EmailAddressTaken } from "../../domain/account/Email.ts"
import {
  CodeWrong,
  EmailAddressUnknown,
  EmailCode,
  EmailOnly,
  EmailPasswordPair
} from "../../domain/authentication/EmailSignIn.ts"
import {
  AuthenticationBusy,
  PasswordNotSet,
  PasswordWrong,
  RegistrationClosed,
  SignInSuspended,
  TooManyAttempts
} from "../../domain/authentication/Password.ts"
import {
  PasswordReset,
  ResetPageForeign,
  ResetRequest,
  ResetTokenInvalid
} from "../../domain/authentication/ResetToken.ts"
import { MailLimitReached } from "../../domain/mail/Outbox.ts"
import { Id } from "../../domain/shared/Id.ts"
import { anyone } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { MailOperation } from "../contract/MailOperation.ts"
import { operation } from "../contract/Operation.ts"
import { AuthSuccess } from "./AuthenticationApi.ts"
import { CodeSent } from "./CodeSent.ts"

const invitation = {
  invitation_id: Schema.optionalKey(Id).annotateKey({ description: "The id of the invitation, if any" })
}

const signUpProblems = [HandleTaken, RegistrationClosed, HandleInvalid, MailLimitReached] as const

const AddressKnown = HttpApiSchema.Empty(422).annotate({
  description: "An account has the address already. It was sent a code; nobody is signed in."
})

export class EmailAuthenticationApi extends HttpApiGroup.make("authEmail")
  .add(
    HttpApiEndpoint.post("signUpWithPassword", "/email-password/signup", {
      query: invitation,
      payload: EmailPasswordPair,
      success: AuthSuccess,
      error: [...signUpProblems, EmailAddressTaken, AuthenticationBusy]
    })
      .middleware(MailOperation)
      .pipe(
        operation({
          id: "AuthEmailPasswordSignup",
          cost: "hashing",
          summary: "Sign up with an email address and a password",
          description:
            "Creates an account, sends a code to the address and starts a session. The address counts as verified once the code has been sent back.",
          access: anyone,
          setsSession: true
        })
      ),
    HttpApiEndpoint.post("signInWithPassword", "/email-password/signin", {
      payload: EmailPasswordPair,
      success: AuthSuccess,
      error: [
        EmailAddressUnknown,
        SignInSuspended,
        PasswordNotSet,
        PasswordWrong,
        TooManyAttempts,
        AuthenticationBusy
      ]
    })
      .middleware(MailOperation)
      .pipe(
        operation({
          id: "AuthEmailPasswordSignin",
          cost: "hashing",
          summary: "Sign in with an email address and a password",
          description: "Starts another session. Any address of the account will do, verified or not.",
          access: anyone,
          setsSession: true
        })
      ),
    HttpApiEndpoint.post("requestReset", "/email-password/reset", {
      payload: ResetRequest,
      success: Done,
      error: [ResetPageForeign, EmailAddressUnknown, MailLimitReached]
    })
      .middleware(MailOperation)
      .pipe(
        operation({
          id: "AuthPasswordResetRequestEmail",
          units: 10,
          cost: "write",
          summary: "Ask for a mail to set a new password by",
          description:
            "The mail has a link to the given page of the frontend, with a token that sets the password once, within one hour.",
          access: anyone
        })
      ),
    HttpApiEndpoint.post("reset", "/password/reset", {
      payload: PasswordReset,
      success: AuthSuccess,
      error: [ResetTokenInvalid, PasswordNotSet, SignInSuspended, AuthenticationBusy]
    }).pipe(
      operation({
        id: "AuthPasswordReset",
        cost: "hashing",
        summary: "Set a new password with a token",
        description:
          "Starts a session. The token is from the mail, or from staff. Other sessions remain unless `revoke_sessions` is true.",
        access: anyone,
        setsSession: true
      })
    ),
    HttpApiEndpoint.post("signUpWithCode", "/email/signup", {
      query: invitation,
      payload: EmailOnly,
      success: [AuthSuccess, AddressKnown],
      error: signUpProblems
    })
      .middleware(MailOperation)
      .pipe(
        operation({
          id: "AuthEmailSignup",
          units: 10,
          cost: "write",
          summary: "Sign up with an email address alone",
          description:
            "Creates an account without a password, sends a code to the address and starts a session. An address that is known is sent a code instead.",
          access: anyone,
          setsSession: true
        })
      ),
    HttpApiEndpoint.post("requestCode", "/email/signin", {
      payload: EmailOnly,
      success: CodeSent,
      error: [EmailAddressUnknown, SignInSuspended, MailLimitReached]
    })
      .middleware(MailOperation)
      .pipe(
        operation({
          id: "AuthEmailSignin",
          units: 10,
          cost: "write",
          summary: "Ask for a code to sign in with",
          description:
            "For accounts that signed up with an email address alone. A code that is still valid, and that others have asked for, is sent again; otherwise it is a new one, and the one before is no longer valid.",
          access: anyone
        })
      ),
    HttpApiEndpoint.post("verify", "/email/verify", {
      payload: EmailCode,
      success: AuthSuccess,
      error: [CodeWrong, SignInSuspended, TooManyAttempts]
    }).pipe(
      operation({
        id: "AuthEmailVerify",
        units: 10,
        cost: "write",
        summary: "Sign in with a code",
        description:
          "Starts a session of the account that has the address, which is verified by it. A code is valid for one hour and works once; each network may send back five wrong ones.",
        access: anyone,
        setsSession: true
      })
    )
  )
  .prefix("/auth")
  .annotateMerge(
    OpenApi.annotations({
      title: "auth by email",
      description: "Sign up and in with an email address, and set a new password"
    })
  ) {}
