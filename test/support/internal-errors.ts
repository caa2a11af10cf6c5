/** Internal errors that are collected instead of recorded. */
import { Effect, Layer } from "effect"
import { type InternalError, InternalErrors } from "../../src/domain/operations/InternalErrors.ts"

export const collecting = (reported: Array<InternalError>) =>
  Layer.succeed(InternalErrors, {
    report: (error) =>
      Effect.sync(() => {
        reported.push(error)
      })
  })
