import { Schema } from "effect"
import type { Candidate } from "../../domain/authentication/PasswordStore.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { decoded } from "../shared/Query.ts"

const CandidateRow = Schema.Struct({
  id: AccountId,
  suspended: Schema.Boolean,
  hash: Schema.NullOr(Schema.String)
})

/** Runs statements that select accounts with what sign-in needs to know of them. */
export const candidates = decoded(CandidateRow)

export const candidateOf = (row: typeof CandidateRow.Type): Candidate => ({
  accountId: row.id,
  suspended: row.suspended,
  passwordHash: row.hash ?? undefined
})
