/** The ways to sign in that an instance offers. */

import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { AuthMode } from "../settings/GeneralSetting.ts"
import { providers } from "./AuthExamples.ts"

/** Other services whose accounts people sign in with. */
export const servicesElsewhere = [
  "oauth_google",
  "oauth_github",
  "oauth_discord",
  "oauth_keycloak",
  "oauth_oidc"
] as const
export type ServiceElsewhere = (typeof servicesElsewhere)[number]

/**
 * The ways to sign in that this service has. An account may have one of each, and several passkeys and accounts
 * elsewhere.
 */
export const authServices = [
  "password",
  "webauthn",
  "email_verify",
  "phone_verify",
  ...servicesElsewhere
] as const
export type AuthService = (typeof authServices)[number]

/** What an account may sign in with as clients know it, offered by this service or not. */
export const accountAuthServices = [...authServices, "access_key"] as const

export const AuthProvider = Schema.Struct({
  provider: Schema.String.annotate({ description: "Its name in programs, such as `password`" }),
  name: Schema.String.annotate({ description: "Its name for people" }),
  link: Schema.optionalKey(Schema.String).annotateKey({
    description: "Where signing in begins, if it does at another service"
  })
}).annotate({ identifier: "AuthProvider", description: "A way to sign in" })
export interface AuthProvider extends Schema.Schema.Type<typeof AuthProvider> {}

export const AuthProviderList = Schema.Array(AuthProvider)

export const AuthProviderListResult = Schema.Struct({
  providers: AuthProviderList,
  mode: AuthMode
})
  .annotate({ identifier: "AuthProviderListResult", description: "The ways to sign in" })
  .pipe(withExample({ providers, mode: "handle" }))
export interface AuthProviderListResult extends Schema.Schema.Type<typeof AuthProviderListResult> {}

const names: Readonly<Record<AuthService, string>> = {
  password: "Password + either username or email",
  webauthn: "WebAuthn/Passkey",
  email_verify: "Email + verification code",
  phone_verify: "Phone number + verification code",
  oauth_google: "Google",
  oauth_github: "GitHub",
  oauth_discord: "Discord",
  oauth_keycloak: "Keycloak",
  oauth_oidc: "OpenID"
}

/** A way to sign in, with its usual name or this one. */
export const providerOf = (service: AuthService, name = names[service]): AuthProvider => ({
  provider: service,
  name
})

const codesIn: Readonly<Record<AuthMode, ReadonlyArray<AuthService>>> = {
  handle: [],
  email: ["email_verify"],
  phone: ["phone_verify"]
}

/** What an instance in this mode offers, accounts elsewhere aside. */
export const servicesIn = (mode: AuthMode): ReadonlyArray<AuthService> => [
  "password",
  "webauthn",
  ...codesIn[mode]
]
