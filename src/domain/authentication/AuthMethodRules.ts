/** Which way to sign in an account may give up. Pure. */
import type { Timestamp } from "../field/Resource.ts"
import type { AuthService } from "./AuthProvider.ts"

/** A way to sign in as it is stored. */
export interface StoredMethod {
  readonly id: string
  readonly service: AuthService
  readonly createdAt: Timestamp
  readonly name: string
  readonly identifier: string
}

export type Removal =
  /** The account has no such method. */
  | { readonly _tag: "Unknown" }
  /** The account could not sign in without this method. */
  | { readonly _tag: "Last" }
  | { readonly _tag: "Remove"; readonly method: StoredMethod }

/** The methods of an account that work, because the instance offers their services. */
export const activeOf = (
  methods: ReadonlyArray<StoredMethod>,
  offered: ReadonlyArray<AuthService>
): ReadonlyArray<StoredMethod> => methods.filter(({ service }) => offered.includes(service))

/** What is done when an account gives up a method; another one that works has to remain. */
export const decideRemoval = (
  methods: ReadonlyArray<StoredMethod>,
  offered: ReadonlyArray<AuthService>,
  id: string
): Removal => {
  const method = methods.find((one) => one.id === id)
  if (method === undefined) return { _tag: "Unknown" }
  const remains = activeOf(methods, offered).some((one) => one.id !== id)
  return remains ? { _tag: "Remove", method } : { _tag: "Last" }
}
