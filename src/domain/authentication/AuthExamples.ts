import { odin } from "../account/AccountExamples.ts"

const password = { provider: "password", name: "Password + either username or email" } as const
const webauthn = { provider: "webauthn", name: "WebAuthn/Passkey" } as const

export const providers = [password, webauthn]

export const methods = [
  {
    id: odin.id,
    created_at: "2026-11-21T14:13:10.004Z",
    name: "Password",
    identifier: odin.id,
    provider: password
  }
]
