import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { HandleInvalid, HandleTaken } from "../../domain/account/Account.ts"
import {
  CredentialRequestOptions,
  PasskeyInvalid,
  PasskeyNotSet,
  PasskeyTaken,
  PasskeyWrong,
  PublicKeyCredential,
  TooManyPasskeys,
  WebAuthnPublicKeyCreationOptions
} from "../../domain/authentication/Passkey.ts"
import { HandleUnknown, RegistrationClosed, SignInSuspended } from "../../domain/authentication/Password.ts"
import * as Text from "../../domain/field/Text.ts"
import { Id } from "../../domain/shared/Id.ts"
import { anyone, anyoneByCookie } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"
import { AuthSuccess } from "./AuthenticationApi.ts"

const setsCookie = "The state of this request, which has to be sent with the passkey within ten minutes"

const handleOf = (description: string) => ({ account_handle: Text.mark({ description }) })

export class PasskeysApi extends HttpApiGroup.make("passkeys")
  .add(
    HttpApiEndpoint.get("beginCreation", "/make/:account_handle", {
      params: handleOf("The handle to sign up with, or your own"),
      success: WebAuthnPublicKeyCreationOptions,
      error: [HandleInvalid, HandleTaken, SignInSuspended, TooManyPasskeys]
    }).pipe(
      operation({
        id: "WebAuthnRequestCredential",
        cost: "quick",
        summary: "Begin to make a passkey",
        description:
          "What a browser needs to make a passkey: to sign up with this handle, or, with the handle of the account that is signed in, to add a passkey to it. Then send the passkey to `WebAuthnMakeCredential`, with the cookie that this answer sets.",
        access: anyoneByCookie,
        setsCookie
      })
    ),
    HttpApiEndpoint.post("create", "/make", {
      query: {
        invitation_id: Schema.optionalKey(Id).annotateKey({ description: "The id of the invitation, if any" })
      },
      payload: PublicKeyCredential,
      success: AuthSuccess,
      error: [PasskeyInvalid, HandleTaken, RegistrationClosed, PasskeyTaken, SignInSuspended, TooManyPasskeys]
    }).pipe(
      operation({
        id: "WebAuthnMakeCredential",
        cost: "write",
        summary: "Sign up with a new passkey, or add one",
        description:
          "Creates the account whose handle `WebAuthnRequestCredential` was called with, or adds the passkey to the account that is signed in, and starts a session. The first account of an instance becomes its administrator. Each answer to a challenge is taken once.",
        access: anyoneByCookie,
        setsSession: true
      })
    ),
    HttpApiEndpoint.get("beginSignIn", "/assert/:account_handle", {
      params: handleOf("The handle of the account; letter case does not matter"),
      success: CredentialRequestOptions,
      error: [HandleUnknown, PasskeyNotSet, SignInSuspended]
    }).pipe(
      operation({
        id: "WebAuthnGetAssertion",
        cost: "quick",
        summary: "Begin to sign in with a passkey",
        description:
          "What a browser needs to sign in with a passkey of this account. Then send what it answers to `WebAuthnMakeAssertion`, with the cookie that this answer sets.",
        access: anyone,
        setsCookie
      })
    ),
    HttpApiEndpoint.post("signIn", "/assert", {
      payload: PublicKeyCredential,
      success: AuthSuccess,
      error: [PasskeyWrong, SignInSuspended]
    }).pipe(
      operation({
        id: "WebAuthnMakeAssertion",
        cost: "write",
        summary: "Sign in with a passkey",
        description:
          "Starts a session of the account that `WebAuthnGetAssertion` was called for. Each answer to a challenge is taken once.",
        access: anyone,
        setsSession: true
      })
    )
  )
  .prefix("/auth/webauthn")
  .annotateMerge(
    OpenApi.annotations({
      title: "passkeys",
      description: "Sign up and in with passkeys (Web Authentication)"
    })
  ) {}
