/** Who may know of each change, in words, from the events of each kind that tests keep. */
import { readdirSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import type { Audience } from "../../src/domain/change/Audience.ts"
import { isTelling, type Told, toldOf } from "../../src/domain/change/ChangesOfEvents.ts"
import { DomainEvent } from "../../src/domain/event/EventLog.ts"

const kept = new URL("../../test/event/golden/", import.meta.url)

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(DomainEvent)))

const told = (): ReadonlyArray<Told> =>
  readdirSync(kept)
    .flatMap((file) => readFileSync(new URL(file, kept), "utf8").trimEnd().split("\n"))
    .filter((line) => line.startsWith('{"_tag"'))
    .map((line) => decodeEvent(line))
    .flatMap((event) => (isTelling(event) ? (toldOf(event) ?? []) : []))

/** An audience in words; nothing where an event of an older release says too little. */
const textOf = (audience: Audience): string | undefined => {
  switch (audience._tag) {
    case "Everyone":
      return "everyone"
    case "Nobody":
      return undefined
    case "Post":
      return "who may read the post"
    case "Node":
      return "who may read the page"
    case "Version":
      return audience.isApplied
        ? "who may read the page, and its author"
        : "its author, those who review it, and the owner of a page that is not published"
    case "CalendarEvent":
      return "who may see the event of the calendar"
    case "Account": {
      const permissions = [
        "VIEW_ACCOUNTS",
        ...(audience.permission === undefined ? [] : [audience.permission])
      ]
      const holders = `holders of ${permissions.join(" and ")}; of administrators, administrators alone`
      return audience.itself === "always" ? `the account, and ${holders}` : `${holders}; not the account`
    }
    case "Holders":
      return audience.permission === "MANAGE_REPORTS"
        ? "who reported it, and holders of MANAGE_REPORTS"
        : `holders of ${audience.permission}`
  }
}

/** Who is told of the change with a name. */
export const audiences = (): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { audience, change } of told()) {
    const text = textOf(audience)
    const known = found.get(change.event)
    if (text === undefined) continue
    if (known !== undefined && known !== text)
      throw new Error(`${change.event} is told to two kinds of people`)
    found.set(change.event, text)
  }
  return found
}
