import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { HandleInvalid, HandleTaken } from "../../domain/account/Account.ts"
import {
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
import { AuthProviderListResult } from "../../domain/instance/Info.ts"
import { AccountId, Id } from "../../domain/shared/Id.ts"
import { accountsByCookie, anyone, anyoneByCookie, everyone } from "../shared/Access.ts"
import { operation } from "../shared/Operation.ts"

const AuthSuccess = Schema.Struct({ id: AccountId }).annotate({
  identifier: "AuthSuccess",
  description: "The account signed in; the session comes as the cookie `forum-session`"
})

const Redirected = HttpApiSchema.WithHeaders(HttpApiSchema.Empty(302), {
  location: Schema.String,
  "cache-control": Schema.String,
  "clear-site-data": Schema.String
})

export class AuthenticationApi extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.get("listProviders", "/", { success: AuthProviderListResult }).pipe(
      operation({
        id: "AuthProviderList",
        summary: "List the ways to sign in",
        description: "Those that this instance offers to everyone.",
        access: everyone
      })
    ),
    HttpApiEndpoint.post("signUp", "/password/signup", {
      query: {
        invitation_id: Schema.optionalKey(Id).annotateKey({ description: "The invitation taken, if any" })
      },
      payload: AuthPair,
      success: AuthSuccess,
      error: [HandleTaken, RegistrationClosed, HandleInvalid]
    }).pipe(
      operation({
        id: "AuthPasswordSignup",
        summary: "Sign up with a handle and a password",
        description:
          "Makes an account and begins a session. The first account of an instance becomes its administrator.",
        access: anyone,
        setsSession: true
      })
    ),
    HttpApiEndpoint.post("signIn", "/password/signin", {
      payload: AuthPair,
      success: AuthSuccess,
      error: [HandleUnknown, PasswordNotSet, SignInSuspended, PasswordWrong, TooManyAttempts]
    }).pipe(
      operation({
        id: "AuthPasswordSignin",
        summary: "Sign in with a handle and a password",
        description: "Begins a further session.",
        access: anyone,
        setsSession: true
      })
    ),
    HttpApiEndpoint.post("addPassword", "/password", {
      payload: Schema.Struct({ password: Password }).annotate({
        identifier: "AuthPasswordInitialProps",
        description: "The password to add"
      }),
      success: AuthSuccess,
      error: PasswordAlreadySet
    }).pipe(
      operation({
        id: "AuthPasswordCreate",
        summary: "Add a password to an account that has none",
        description: "The account can then also sign in by handle and password.",
        access: accountsByCookie,
        setsSession: true
      })
    ),
    HttpApiEndpoint.patch("changePassword", "/password", {
      payload: PasswordChange,
      success: AuthSuccess,
      error: [PasswordNotSet, PasswordWrong, TooManyAttempts]
    }).pipe(
      operation({
        id: "AuthPasswordUpdate",
        summary: "Change the password",
        description:
          "The old password stops working at once. Other sessions stay signed in unless `revoke_sessions` is true.",
        access: accountsByCookie,
        setsSession: true
      })
    ),
    HttpApiEndpoint.post("signOut", "/logout", {
      query: {
        redirect: Schema.optionalKey(
          Schema.String.annotate({
            description: "Where to go next; only its path, query and fragment count, on the web address"
          })
        )
      },
      success: Redirected
    }).pipe(
      operation({
        id: "AuthProviderLogout",
        summary: "Sign out",
        description: "Ends the presented session and clears what the browser keeps of it.",
        access: anyoneByCookie,
        setsSession: true
      })
    )
  )
  .prefix("/auth")
  .annotateMerge(OpenApi.annotations({ title: "auth", description: "Signing up, in and out" })) {}
