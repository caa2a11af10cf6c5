/** What others are told of, and what the log of events has. */
import { changeNames } from "../../src/domain/change/Changes.ts"
import { tagsOfChanges } from "../../src/domain/change/ChangeTags.ts"
import { tagOf } from "../../src/domain/event/EventConsumer.ts"
import { declaredEvents } from "../../src/domain/event/EventLog.ts"
import { listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import { audiences } from "./Audiences.ts"
import { schemas } from "./Declared.ts"
import { byName, code, page, parts, placeOf, table } from "./Markdown.ts"
import { typeText } from "./SchemaText.ts"

const told = audiences()

const audienceOf = (name: string): string => {
  const text = told.get(name)
  if (text === undefined) throw new Error(`Nothing in test/event/golden says who is told of ${name}`)
  return text
}

/** The events by what they are about, which their names begin with. */
const subjects = [
  ["EventThread", "Threads and replies"],
  ["EventPost", "Likes and reactions"],
  ["EventMember", "Mentions"],
  ["EventCategory", "Categories"],
  ["EventNode", "The library"],
  ["EventActivity", "The calendar"],
  ["EventAccount", "Accounts and warnings"],
  ["EventModeration", "Notes of staff"],
  ["EventReport", "Reports"],
  ["EventSettings", "Settings"]
] as const

const subjectOf = (name: string): string => {
  const found = subjects.find(([beginning]) => name.startsWith(beginning))
  if (found === undefined) throw new Error(`${name} has no place on the page of events`)
  return found[1]
}

const fieldRows = (name: string): ReadonlyArray<ReadonlyArray<string>> => {
  const schema = schemas[name]
  const required = listAt(schema, "required")
  return Object.entries(objectAt(schema, "properties"))
    .filter(([field]) => field !== "event")
    .map(([field, property]) => [
      code(field),
      `${typeText(property)}${required.includes(field) ? "" : ", may be absent"}`,
      textAt(property, "description") ?? ""
    ])
}

const eventLines = (name: string): ReadonlyArray<string> =>
  parts(
    [`### ${name}`],
    [`${textAt(schemas[name], "description") ?? ""} Told to: ${audienceOf(name)}.`],
    table(["Field", "Type", "Meaning"], fieldRows(name))
  )

const toldAs = new Map(changeNames.map((name) => [tagsOfChanges([name])[0] ?? "", name]))

const logRows = declaredEvents.toSorted(byName(tagOf)).map((event) => {
  const change = toldAs.get(tagOf(event))
  const fields = Object.keys(event.fields).filter((field) => field !== "_tag")
  return [
    code(tagOf(event)),
    fields.map(code).join(", "),
    change === undefined ? "nobody" : `[${code(change)}](#${placeOf(change)})`
  ]
})

export const eventsPage = (): string =>
  page(
    "Events",
    [
      `${changeNames.length} events that others are told of. The same ones, with the same fields, reach`,
      "[who reads or follows changes](../changes.md), [webhooks](../webhooks.md) and [plugins](../plugins.md) that name",
      "them. Readers, followers and webhooks are told what they may know, a webhook as the account that made it: that",
      "is decided by what the event was about when it happened, and by what they may read now",
      "([how](../changes.md#who-is-told)). A plugin is told of everything that its manifest names, whoever may know it,",
      "and reads what the ids stand for as its bot may. The field `event` is the name."
    ],
    subjects.map(([, title]) => `- [${title}](#${placeOf(title)})`),
    ...subjects.map(([, title]) =>
      parts([`## ${title}`], ...changeNames.filter((name) => subjectOf(name) === title).map(eventLines))
    ),
    ["## The log of events"],
    [
      "What the service itself records, in the transaction of each write; its consumers send notifications and mails, write",
      "the audit log and the like. It is no part of the API. Each event tells others of one change, or nobody of anything."
    ],
    table(["Event of the log", "Fields", "Told as"], logRows)
  )
