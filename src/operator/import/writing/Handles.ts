/** Lets every account have a handle that no other has. */

import { formsOf } from "../../../domain/account/AccountText.ts"
import { handleKey } from "../../../domain/account/Handle.ts"
import { OperatorFailure } from "../../OperatorFailure.ts"
import type { Session } from "../../shared/Session.ts"
import { handleWithin } from "../preparing/People.ts"
import { noteFindings, schema, tableOf } from "../Staging.ts"
import { references } from "./References.ts"

const handleBytesMax = 30

interface Conflict {
  readonly line: string
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly is_taken: boolean
}

const staged = tableOf("accounts")

// In parts, so that any number of them is held in little memory.
const together = 1000

/** What an account has whose handle it is, or had that was erased. */
const isTaken = `(exists (select from accounts a where a.handle_key = s.handle_key or a.id = s.handle or a.handle = s.id)
  or exists (select from retired_handles where key_hash = hash_of_handle(s.handle_key)))`

const conflicts = `select s.line::text as line, s.id, s.name, s.handle,
    ${isTaken} as is_taken
  from ${staged} s
  where s.fate is null and s.line > $1 and (
    ${isTaken}
    or s.handle <> s.id and s.handle in (select id from ${staged} where fate is null)
    or s.handle_key in (select handle_key from ${staged} where fate is null group by handle_key having count(*) > 1)
      and exists (select from ${staged} o where o.fate is null and o.handle_key = s.handle_key and o.line < s.line))
  order by s.line limit ${together}`

const isFree = async (session: Session, handle: string) => {
  const key = handleKey(handle)
  const [found] = await session.rows(
    `select from accounts where handle_key = $1 or id = $2
      union all select from retired_handles where key_hash = hash_of_handle($1)
      union all select from ${staged} where fate is null and (handle_key = $1 or id = $2) limit 1`,
    [key, handle]
  )
  return found === undefined
}

/** The first free one of a handle with the prefix, and of that with a number. */
const freeOf = async (session: Session, handle: string, prefix: string) => {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? "" : `-${number}`
    const candidate = `${handleWithin(`${prefix}${handle}`, handleBytesMax - end.length)}${end}`
    if (candidate !== handle && (await isFree(session, candidate))) return candidate
  }
}

const refuseTaken = async (session: Session) => {
  const taken = await session.rows<{ handle: string }>(
    `select s.handle from ${staged} s where s.fate is null
      and exists (select from accounts a where a.handle_key = s.handle_key) order by s.line limit 11`
  )
  if (taken.length === 0) return
  const names = taken.slice(0, 10).map(({ handle }) => handle)
  throw new OperatorFailure({
    message: `Accounts that are there have these handles: ${names.join(", ")}${taken.length > 10 ? ", …" : ""}. Say by --prefix what handles of the import begin with where they are taken. Nothing was changed.`
  })
}

/** What is there keeps its handle; of those that come the first keeps it. */
export const settleHandles = async (session: Session, prefix: string | undefined) => {
  if (prefix === undefined) await refuseTaken(session)
  for (let line = "-1"; ; ) {
    const found: ReadonlyArray<Conflict> = await session.rows<Conflict & Record<string, unknown>>(conflicts, [
      line
    ])
    for (const { handle, id, is_taken, line: at, name } of found) {
      const free = await freeOf(session, handle, is_taken ? (prefix ?? "") : "")
      const { handleForm } = formsOf({ handle: free, name })
      await session.rows(
        `update ${staged} set handle = $2, handle_key = $3, handle_form = $4 where line = $1`,
        [at, free, handleKey(free), handleForm]
      )
      await noteFindings(session, [
        {
          kind: "accounts",
          line: Number(at),
          id,
          outcome: "repaired",
          reason: "handle_taken",
          field: "handle",
          detail: `${handle} is ${free}`
        }
      ])
    }
    const last = found.at(-1)
    if (last === undefined) return
    line = last.line
  }
}

/** An account that stands for people who are nowhere, if anything is by one of them. Answers its id. */
export const makePlaceholder = async (session: Session): Promise<string> => {
  const [needed] = await session.rows(
    references
      .filter(({ otherwise }) => otherwise === "placeholder")
      .map(
        ({ column, kind }) => `(select from ${tableOf(kind)} s where s.fate is null
          and not exists (select from ${staged} a where a.id = s.${column} and a.fate is distinct from 'left out')
          and not exists (select from accounts a where a.id = s.${column}) limit 1)`
      )
      .join(" union all ")
  )
  if (needed === undefined) return ""
  const handle = "deleted-account"
  const name = "Deleted account"
  const { handleForm, nameForm } = formsOf({ handle, name })
  const [made] = await session.rows<{ id: string }>(
    `insert into ${staged} (line, id, created_at, updated_at, suspended_at, kind, admin, founder, handle, name, bio, links, meta,
        verified_status, roles, interests, handle_key, name_form, handle_form)
      values (0, ${schema}.other_id('0000000'), 'epoch', 'epoch', 'epoch', 'human', false, false, $1, $2, '<body></body>', '[]',
        '{}', 'none', '[]', '[]', $3, $4, $5) returning id`,
    [handle, name, handleKey(handle), nameForm, handleForm]
  )
  return made?.id ?? ""
}
