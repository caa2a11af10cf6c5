/** How operations that clients of OAuth call refuse a request that is not as they declare it. */
import {
  OAuthError,
  type OAuthErrorCode,
  type OAuthUnauthorized,
  unauthorized
} from "../../domain/shared/OAuthError.ts"
import type { Issue } from "./RequestProblems.ts"

/** The failure in the form of OAuth that stands for these issues of a request. */
export type OAuthRefusal = (issues: ReadonlyArray<Issue>) => OAuthError | OAuthUnauthorized

// What a description may have (RFC 6749, 5.2).
const printable = (text: string) =>
  text
    .replaceAll('"', "'")
    .replaceAll("\\", "/")
    .replace(/[^\x20-\x7e]/gu, "?")

// Nobody reads more of them.
const describedMax = 3

/** What is wrong with a request, in one line. */
export const describeIssues = (issues: ReadonlyArray<Issue>): string =>
  issues
    .slice(0, describedMax)
    .map(({ in: place, message, path }) => printable(`${`${place} ${path}`.trim()}: ${message}`))
    .join(" | ")

const invalidWith = (error: OAuthErrorCode, issues: ReadonlyArray<Issue>) =>
  new OAuthError({ error, error_description: describeIssues(issues) })

/** Refuses with a code that the issues decide on. */
export const refusedWith =
  (codeOf: (issues: ReadonlyArray<Issue>) => OAuthErrorCode): OAuthRefusal =>
  (issues) =>
    invalidWith(codeOf(issues), issues)

/** Refuses an address that names no client, as if its token were not valid. */
export const refusedAddress: OAuthRefusal = (issues) =>
  unauthorized('Bearer error="invalid_token"', "invalid_token", describeIssues(issues))

/** Refuses what a client says of itself, by where it is wrong. */
export const refusedMetadata: OAuthRefusal = (issues) => {
  const [first] = issues
  if (first?.in === "path") return refusedAddress(issues)
  if (first?.path.startsWith("redirect_uris") === true) return invalidWith("invalid_redirect_uri", issues)
  return invalidWith(first?.path === "" ? "invalid_request" : "invalid_client_metadata", issues)
}
