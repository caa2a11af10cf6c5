/** How programs are told to authenticate (RFC 6750, 3; RFC 9728, 5.1). Pure. */
import { type Access, takenBy } from "../../domain/shared/Access.ts"

/** The challenge where nothing more is to say: every 401 has one (RFC 9110, 15.5.2). */
export const usualChallenge = "Bearer"

/** What decides on the challenge of an operation. */
interface Challenged {
  readonly access: Access
  /** Where programs read how to get a token; undefined where they can get none. */
  readonly resourceMetadata: string | undefined
  /** Whether the request has a bearer token that is not valid. */
  readonly hasBadBearer: boolean
}

const metadataIn = (resourceMetadata: string | undefined) =>
  resourceMetadata === undefined ? [] : [`resource_metadata="${resourceMetadata}"`]

/** The challenge of a token that would suffice with these scopes, to which the account may agree (RFC 6750, 3.1). */
export const scopeChallengeOf = (
  scopes: ReadonlyArray<string>,
  resourceMetadata: Challenged["resourceMetadata"]
): string =>
  `${usualChallenge} ${[...metadataIn(resourceMetadata), 'error="insufficient_scope"', `scope="${scopes.join(" ")}"`].join(", ")}`

/** The challenge of an operation. Where it takes no bearer token, nobody is led to get one. */
export const challengeOf = ({ access, hasBadBearer, resourceMetadata }: Challenged): string => {
  if (takenBy(access) === "cookie") return usualChallenge
  const parameters = [...metadataIn(resourceMetadata), ...(hasBadBearer ? ['error="invalid_token"'] : [])]
  return parameters.length === 0 ? usualChallenge : `${usualChallenge} ${parameters.join(", ")}`
}
