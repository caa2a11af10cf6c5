/** Secrets and tokens of connections, encrypted as they are stored. */
import { Effect, type Redacted } from "effect"
import type { RemoteConnectionId } from "../shared/Id.ts"
import { SecretBox } from "../storage/SecretBox.ts"

export type SecretKind = "client secret" | "access token" | "refresh token" | "verifier"

const purposeOf = (kind: SecretKind, id: RemoteConnectionId) => `${kind} of remote connection ${id}`

/** Where the key of the instance is missing or another one, that is a defect. */
export const makeRemoteSecrets = Effect.map(SecretBox, (box) => ({
  seal: (kind: SecretKind, id: RemoteConnectionId, secret: Redacted.Redacted) =>
    Effect.orDie(box.seal(purposeOf(kind, id), secret)),
  sealGiven: (kind: SecretKind, id: RemoteConnectionId, secret: Redacted.Redacted | undefined) =>
    secret === undefined ? Effect.undefined : Effect.orDie(box.seal(purposeOf(kind, id), secret)),
  open: (kind: SecretKind, id: RemoteConnectionId, sealed: Uint8Array) =>
    Effect.orDie(box.open(purposeOf(kind, id), sealed))
}))
