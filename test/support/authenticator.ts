/** An authenticator in software: it makes passkeys and signs with them as browsers send it. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import type { Answer } from "./answers.ts"

type Cbor = number | string | boolean | Uint8Array | ReadonlyArray<Cbor> | ReadonlyMap<number | string, Cbor>

const head = (major: number, value: number): Uint8Array => {
  const kind = major << 5
  if (value < 24) return Uint8Array.of(kind | value)
  if (value < 256) return Uint8Array.of(kind | 24, value)
  return Uint8Array.of(kind | 25, value >> 8, value & 255)
}

/** Encodes what authenticators need of CBOR (RFC 8949). */
export const cbor = (value: Cbor): Uint8Array => {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "boolean") return Uint8Array.of(value ? 0xf5 : 0xf4)
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value)
    return Buffer.concat([head(3, bytes.length), bytes])
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)])
    return Buffer.concat([head(5, value.size), ...entries])
  }
  const items = [...(value as ReadonlyArray<Cbor>)].map(cbor)
  return Buffer.concat([head(4, items.length), ...items])
}

export const base64url = (data: Uint8Array | string): string => Buffer.from(data).toString("base64url")

const bytesOf = (text: string | undefined) => Buffer.from(text ?? "", "base64url")

export type Algorithm = "ES256" | "RS256" | "EdDSA"

interface Key {
  readonly privateKey: KeyObject
  /** In the form of COSE. */
  readonly cose: ReadonlyMap<number, Cbor>
}

const makeKey = (algorithm: Algorithm, modulusLength = 2048): Key => {
  if (algorithm === "ES256") {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const { x, y } = publicKey.export({ format: "jwk" })
    return {
      privateKey,
      cose: new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytesOf(x)],
        [-3, bytesOf(y)]
      ])
    }
  }
  if (algorithm === "EdDSA") {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const { x } = publicKey.export({ format: "jwk" })
    return {
      privateKey,
      cose: new Map<number, Cbor>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytesOf(x)]
      ])
    }
  }
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength })
  const { e, n } = publicKey.export({ format: "jwk" })
  return {
    privateKey,
    cose: new Map<number, Cbor>([
      [1, 3],
      [3, -257],
      [-1, bytesOf(n)],
      [-2, bytesOf(e)]
    ])
  }
}

/** What a passkey may do other than usual. */
export interface Oddity {
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  readonly challenge?: string
  /** User present 1, user verified 4, backup eligible 8, backed up 16, key included 64. */
  readonly flags?: number
  readonly counter?: number
  readonly transports?: ReadonlyArray<string>
  readonly userHandle?: string | null
  readonly statement?: readonly [format: string, statement: ReadonlyMap<string, Cbor>]
  readonly cose?: ReadonlyMap<number, Cbor>
}

export interface PasskeyOptions {
  readonly algorithm?: Algorithm
  readonly modulusLength?: number
  readonly id?: Uint8Array
  readonly aaguid?: string
  /** Whether it counts its signatures. */
  readonly counts?: boolean
}

const usual = { origin: "http://www.forum.test", rpId: "www.forum.test" }

const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data).digest()

const uint = (value: number, bytes: 2 | 4) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/** A passkey that is not made yet; `create` answers what the service asked, and `assert` signs in with it. */
export const makePasskey = (options: PasskeyOptions = {}) => {
  const { aaguid = "00000000-0000-0000-0000-000000000000", algorithm = "ES256", counts = true } = options
  const key = makeKey(algorithm, options.modulusLength)
  const credentialId = options.id ?? randomBytes(32)
  const id = base64url(credentialId)
  let signatures = 0
  let owner: string | undefined

  const clientData = (
    type: string,
    asked: string,
    { challenge, origin = usual.origin, type: other }: Oddity
  ) =>
    Buffer.from(
      JSON.stringify({ type: other ?? type, challenge: challenge ?? asked, origin, crossOrigin: false })
    )

  const authenticatorData = (flags: number, odd: Oddity, attested: Uint8Array) => {
    if (counts) signatures += 1
    const counter = odd.counter ?? signatures
    return Buffer.concat([
      sha256(odd.rpId ?? usual.rpId),
      Uint8Array.of(odd.flags ?? flags),
      uint(counter, 4),
      attested
    ])
  }

  const create = ({ publicKey }: Answer["json"], odd: Oddity = {}) => {
    owner = publicKey.user.id
    const attested = Buffer.concat([
      Buffer.from(aaguid.replaceAll("-", ""), "hex"),
      uint(credentialId.length, 2),
      credentialId,
      cbor(odd.cose ?? key.cose)
    ])
    const [format, statement] = odd.statement ?? ["none", new Map<string, Cbor>()]
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ["fmt", format],
        ["attStmt", statement],
        ["authData", authenticatorData(0x45, odd, attested)]
      ])
    )
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(clientData("webauthn.create", publicKey.challenge, odd)),
        attestationObject: base64url(attestationObject),
        transports: odd.transports ?? ["internal"]
      },
      clientExtensionResults: { credProps: { rk: true } },
      authenticatorAttachment: "platform"
    }
  }

  const assert = ({ publicKey }: Answer["json"], odd: Oddity = {}) => {
    const data = authenticatorData(5, odd, new Uint8Array())
    const client = clientData("webauthn.get", publicKey.challenge, odd)
    const hash = algorithm === "EdDSA" ? null : "sha256"
    return {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign(hash, Buffer.concat([data, sha256(client)]), key.privateKey)),
        userHandle: odd.userHandle === undefined ? (owner ?? null) : odd.userHandle
      },
      clientExtensionResults: {},
      authenticatorAttachment: null
    }
  }

  /** What the service called the account when it asked for the passkey. */
  const userHandle = () => owner

  return { id, userHandle, create, assert } as const
}

export type Passkey = ReturnType<typeof makePasskey>
