/** Gives everybody a handle that may be used here, so that addresses of their pages are known before the import. */
import { handleKey } from "../../../domain/account/Handle.ts"
import { handleOf, handleWithin } from "../../import/preparing/People.ts"
import type { Scratch } from "./Scratch.ts"

const bytesMax = 30

/** The people of a list of `id` and `name`; who comes first keeps the name. `kind` is what the program calls them. */
export const settleHandles = (scratch: Scratch, kind: string, people: string) => {
  scratch.exec(
    `create table if not exists handles (id text primary key, handle text not null, key text not null unique, name text not null);
     create index if not exists handles_name on handles (name)`
  )
  for (const { id, name } of scratch.each(people)) {
    // An earlier run may have come to here.
    if (scratch.find("select 1 as found from handles where id = ?", String(id)) !== undefined) continue
    const given = typeof name === "string" ? name : ""
    const wanted = handleOf(given, scratch.find("select new_id(?, ?) as id", kind, String(id))?.id)
    let handle = wanted
    for (let number = 2; isTaken(scratch, handle); number += 1)
      handle = `${handleWithin(wanted, bytesMax - 1 - String(number).length)}-${number}`
    scratch.run(
      "insert or ignore into handles values (?, ?, ?, ?)",
      String(id),
      handle,
      handleKey(handle),
      given.toLowerCase()
    )
    if (handle !== given)
      scratch.tell(kind, id, handle === given.toLowerCase() ? "handle_lower_case" : "handle_changed", handle)
  }
}

const isTaken = (scratch: Scratch, handle: string) =>
  scratch.find("select 1 as found from handles where key = ?", handleKey(handle)) !== undefined
