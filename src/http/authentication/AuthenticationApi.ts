import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { HandleInvalid, HandleTaken } from "../../domain/account/Account.ts"
import { odin } from "../../domain/account/AccountExamples.ts"
import { AuthProviderListResult } from "../../domain/authentication/AuthProvider.ts"
import {
  AuthenticationBusy,
  AuthPair,
  HandleUnknown,
  Password,
  PasswordAlreadySet,
  PasswordChange,
  PasswordNotSet,
  PasswordWrong,
  RegistrationClosed,
  SignInSuspended,
  TooManyAttempts
} from "../../domain/authentication/Password.ts"
import { withExample } from "../../domain/field/Example.ts"
import * as Text from "../../domain/field/Text.ts"
import { AccountId, Id } from "../../domain/shared/Id.ts"
import { accountsByCookie, anyone, anyoneByCookie, everyone } from "../contract/AccessPolicies.ts"
import { CacheControl, ClearSiteData, Location } from "../contract/Headers.ts"
import { operation } from "../contract/Operation.ts"

export const AuthSuccess = Schema.Struct({ id: AccountId })
  .annotate({
    identifier: "AuthSuccess",
    description: "The account that signed in. The session is the cookie `forum-session`."
  })
  .pipe(withExample({ id: odin.id }))

const InitialPassword = Schema.Struct({ password: Password })
  .annotate({ identifier: "AuthPasswordInitialProps", description: "The password to add" })
  .pipe(withExample({ password: "correct horse battery" }))

const Redirect = HttpApiSchema.WithHeaders(
  HttpApiSchema.Empty(302).annotate({ description: "Continue at `Location`" }),
  { location: Location, "cache-control": CacheControl, "clear-site-data": ClearSiteData }
)

export class AuthenticationApi extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.get("listProviders", "/", { success: AuthProviderListResult }).pipe(
      operation({
        id: "AuthProviderList",
        cost: "quick",
        summary: "List the ways to sign in",
        description: "The ways to sign in that this instance offers to everyone.",
        access: everyone
      })
    ),
    HttpApiEndpoint.post("signUp", "/password/signup", {
      query: {
        invitation_id: Schema.optionalKey(Id).annotateKey({ description: "The id of the invitation, if any" })
      },
      payload: AuthPair,
      success: AuthSuccess,
      error: [HandleTaken, RegistrationClosed, HandleInvalid, AuthenticationBusy]
    }).pipe(
      operation({
        id: "AuthPasswordSignup",
        cost: "hashing",
        summary: "Sign up with a handle and a password",
        description:
          "Creates an account and starts a session. The first account of an instance becomes its administrator.",
        access: anyone,
        setsSession: true
      })
    ),
    HttpApiEndpoint.post("signIn", "/password/signin", {
      payload: AuthPair,
      success: AuthSuccess,
      error: [
        HandleUnknown,
        PasswordNotSet,
        SignInSuspended,
        PasswordWrong,
        TooManyAttempts,
        AuthenticationBusy
      ]
    }).pipe(
      operation({
        id: "AuthPasswordSignin",
        cost: "hashing",
        summary: "Sign in with a handle and a password",
        description: "Starts another session.",
        access: anyone,
        setsSession: true
      })
    ),
    HttpApiEndpoint.post("addPassword", "/password", {
      payload: InitialPassword,
      success: AuthSuccess,
      error: [PasswordAlreadySet, AuthenticationBusy]
    }).pipe(
      operation({
        id: "AuthPasswordCreate",
        cost: "hashing",
        summary: "Add a password to an account that has none",
        description: "The account can then also sign in with its handle and the password.",
        access: accountsByCookie,
        setsSession: true
      })
    ),
    HttpApiEndpoint.patch("changePassword", "/password", {
      payload: PasswordChange,
      success: AuthSuccess,
      error: [PasswordNotSet, PasswordWrong, TooManyAttempts, AuthenticationBusy]
    }).pipe(
      operation({
        id: "AuthPasswordUpdate",
        cost: "hashing",
        summary: "Change the password",
        description:
          "The old password stops working at once. Other sessions remain unless `revoke_sessions` is true.",
        access: accountsByCookie,
        setsSession: true
      })
    ),
    HttpApiEndpoint.post("signOut", "/logout", {
      query: {
        redirect: Schema.optionalKey(
          Text.verbatim({
            max: 2000,
            description:
              "Where to go next. Only its path, query and fragment are used, at the web address of the instance."
          })
        )
      },
      success: Redirect
    }).pipe(
      operation({
        id: "AuthProviderLogout",
        cost: "write",
        summary: "Sign out",
        description:
          "Ends the session of the request, or each if it has several cookies, and makes the browser remove its cookie and cached data.",
        access: anyoneByCookie,
        setsSession: true
      })
    )
  )
  .prefix("/auth")
  .annotateMerge(OpenApi.annotations({ title: "auth", description: "Sign up, in and out" })) {}
