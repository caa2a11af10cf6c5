/** Tokens that were checked before: checking a signature again costs more than all else that identifies a caller. */
import type { AccessToken } from "./AccessTokens.ts"
import type { PublicKey } from "./SigningKey.ts"

/** Tokens that are kept: at most a kilobyte each, and about as many as one instance can be sent in a second. */
export const verifiedMax = 1_000

/** A token, and the key that has signed it. */
export interface VerifiedToken {
  readonly token: AccessToken
  readonly key: PublicKey
}

/** What was checked, by the hash of its text. Those that were checked longest ago are forgotten. */
export class VerifiedTokens {
  readonly #kept = new Map<string, VerifiedToken>()

  find(hash: string): VerifiedToken | undefined {
    return this.#kept.get(hash)
  }

  add(hash: string, verified: VerifiedToken): void {
    this.#kept.delete(hash)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= verifiedMax && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(hash, verified)
  }

  get size(): number {
    return this.#kept.size
  }
}
