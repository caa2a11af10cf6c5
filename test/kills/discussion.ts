/** Somebody who writes, changes, likes and deletes threads and replies. */
import { add } from "./ledger.ts"
import { type Writer, write } from "./writing.ts"

/** What all writers share. */
export interface Places {
  /** A thread that everybody replies in. */
  readonly busy: string
  /** Categories that stay. */
  readonly categories: ReadonlyArray<string>
}

export const openThread = async (writer: Writer, title: string, category?: string) => {
  const { ledger } = writer
  const body = { title, visibility: "published", ...(category === undefined ? {} : { category }) }
  const thread = await write(writer, "thread opened", { method: "POST", path: "/threads", body })
  const id = String(thread.id)
  ledger.threads.set(id, { title, category, isLiked: false, isDeleted: false })
  add(ledger.changes, `EventThreadPublished ${id}`)
  return id
}

const reply = async (writer: Writer, thread: string, text: string) => {
  const { ledger } = writer
  const path = `/threads/${thread}/replies`
  const { id } = await write(writer, "reply written", { method: "POST", path, body: { body: text } })
  ledger.replies.set(String(id), { thread, text, isDeleted: false })
  add(ledger.changes, `EventThreadReplyCreated ${id}`)
  return String(id)
}

const changeReply = async (writer: Writer, id: string, text: string) => {
  const { ledger } = writer
  await write(writer, "reply changed", { method: "PATCH", path: `/posts/${id}`, body: { body: text } })
  const entry = ledger.replies.get(id)
  if (entry !== undefined) entry.text = text
  add(ledger.changes, `EventThreadReplyUpdated ${id}`)
}

const deleteReply = async (writer: Writer, id: string) => {
  const { ledger } = writer
  await write(writer, "reply deleted", { method: "DELETE", path: `/posts/${id}` })
  const entry = ledger.replies.get(id)
  if (entry !== undefined) entry.isDeleted = true
  add(ledger.changes, `EventThreadReplyDeleted ${id}`)
}

/** Takes back a like, or likes. */
const like = async (writer: Writer, id: string) => {
  const entry = writer.ledger.threads.get(id)
  if (entry === undefined) return
  const path = `/likes/posts/${id}`
  if (entry.isLiked) await write(writer, "like taken back", { method: "DELETE", path })
  else await write(writer, "liked", { method: "PUT", path })
  entry.isLiked = !entry.isLiked
  add(writer.ledger.changes, `${entry.isLiked ? "EventPostLiked" : "EventPostUnliked"} ${id}`)
}

const changeThread = async (writer: Writer, id: string, change: { title: string; category?: string }) => {
  const { ledger } = writer
  await write(writer, "thread changed", { method: "PATCH", path: `/threads/${id}`, body: change })
  const entry = ledger.threads.get(id)
  if (entry !== undefined) {
    entry.title = change.title
    entry.category = change.category ?? entry.category
  }
  add(ledger.changes, `EventThreadUpdated ${id}`)
}

const deleteThread = async (writer: Writer, id: string) => {
  const { ledger } = writer
  await write(writer, "thread deleted", { method: "DELETE", path: `/threads/${id}` })
  const entry = ledger.threads.get(id)
  if (entry !== undefined) entry.isDeleted = true
  add(ledger.changes, `EventThreadDeleted ${id}`)
}

const steps = [
  [40, "reply"],
  [15, "change a reply"],
  [8, "delete a reply"],
  [15, "like"],
  [6, "open"],
  [10, "change a thread"],
  [2, "delete a thread"],
  [2, "reply to nothing"]
] as const

const without = (items: Array<string>, item: string) => items.splice(items.indexOf(item), 1)

/** Writes until it is over. */
export const discuss = async (writer: Writer, places: Places, isOver: () => boolean) => {
  const { chance, ledger, name } = writer
  const replies: Array<string> = []
  let n = 0
  const text = () => `${name} says ${n++}`
  const threads = [await openThread(writer, text())]
  const { busy, categories } = places

  while (!isOver()) {
    const thread = chance.of(threads)
    const own = chance.of(replies)
    const step = chance.weighed(steps)
    if (step === "open" || thread === undefined) {
      threads.push(await openThread(writer, text(), chance.of(categories)))
    } else if (step === "reply" || own === undefined) {
      const to = chance.next() < 0.2 ? busy : thread
      replies.push(await reply(writer, to, text()))
    } else if (step === "change a reply") await changeReply(writer, own, text())
    else if (step === "delete a reply") {
      await deleteReply(writer, own)
      without(replies, own)
    } else if (step === "like") await like(writer, thread)
    else if (step === "change a thread") {
      const category = chance.of(categories)
      await changeThread(writer, thread, { title: text(), ...(category === undefined ? {} : { category }) })
    } else if (step === "delete a thread") {
      await deleteThread(writer, thread)
      without(threads, thread)
      const lost = replies.filter((id) => ledger.replies.get(id)?.thread === thread)
      for (const id of lost) without(replies, id)
    } else {
      const path = "/threads/00000000000000000000/replies"
      await write(writer, "refused", { method: "POST", path, body: { body: text() } }, 404)
    }
  }
}
