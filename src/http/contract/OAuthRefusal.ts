/** How operations that clients of OAuth call refuse a request that is not as they declare it. */
import { OAuthError, type OAuthErrorCode, type OAuthUnauthorized } from "../../domain/shared/OAuthError.ts"
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

/** Refuses with a code that the issues decide on. */
export const refusedWith =
  (codeOf: (issues: ReadonlyArray<Issue>) => OAuthErrorCode): OAuthRefusal =>
  (issues) =>
    new OAuthError({ error: codeOf(issues), error_description: describeIssues(issues) })
