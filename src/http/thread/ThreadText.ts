/**
 * Threads as JSON text. Encoding their thousands of values by schema costs more than reading them, and
 * most of the text is the same for all viewers; so it is written once, with slots for the rest. The
 * tests hold every answer to its schema.
 */
import type { ProfileReference } from "../../domain/account/Profile.ts"
import { PostId } from "../../domain/shared/Id.ts"
import type {
  Liked,
  ReplyContent,
  ThreadPageContent,
  ThreadReferenceContent,
  ViewerState
} from "../../domain/thread/ThreadContent.ts"
import { textOfPerson, unclosed } from "../bytes/JsonText.ts"
import { type Differences, type Template, TemplateWriter } from "../bytes/Template.ts"

const likePrefix = "like "

const likeSlot = (post: PostId) => likePrefix + post

/** The posts with a slot for the viewer's like in a template, which are all that it shows. */
export const postsIn = ({ slots }: Template): ReadonlyArray<PostId> =>
  slots.flatMap(({ name }) =>
    name.startsWith(likePrefix) ? [PostId.make(name.slice(likePrefix.length))] : []
  )

interface Posted {
  readonly shared: { readonly id: PostId }
  readonly author: ProfileReference
  readonly likes: number
}

const writePost = (writer: TemplateWriter, { author, likes, shared }: Posted) =>
  writer
    .text(unclosed(shared))
    .text(`,"author":${textOfPerson(author)},"likes":{"likes":${likes},"liked":`)
    .slot(likeSlot(shared.id), "false")
    .text("}")

const writeReply = (writer: TemplateWriter, { quoted, ...reply }: ReplyContent): TemplateWriter => {
  writePost(writer, reply)
  if (quoted !== undefined) writeReply(writer.text(`,"reply_to":`), quoted)
  return writer.text("}")
}

const writeThread = (
  writer: TemplateWriter,
  { shared: { collections, ...shared }, ...thread }: ThreadReferenceContent
) =>
  writePost(writer, { ...thread, shared })
    .text(`,"collections":{"in_collections":${collections.in_collections},"has_collected":`)
    .slot("collected", "false")
    .text("}")
    .slot("read_status", "")
    .text(`,"reply_status":{"replies":`)
    .slot("replies", String(thread.replies))
    .text(`,"replied":`)
    .slot("replied", "0")
    .text("}")

/** The template of a thread in a list. */
export const referenceTemplate = (thread: ThreadReferenceContent): Template<string> =>
  writeThread(new TemplateWriter(), thread).text("}").done()

const nextPrefix = "next "

/** The cursor of the replies that follow a page, which its template says. */
export const nextIn = ({ slots }: Template): string | undefined =>
  slots.find(({ name }) => name.startsWith(nextPrefix))?.name.slice(nextPrefix.length)

/** The template of a page of a thread, with these replies; `next` is the cursor of those that follow. */
export const pageTemplate = (
  { envelope, thread }: Pick<ThreadPageContent, "envelope" | "thread">,
  replies: ReadonlyArray<ReplyContent>,
  next: string | undefined
): Template<string> => {
  const writer = writeThread(new TemplateWriter(), thread).text(
    `,"recomentations":[],"replies":${unclosed(envelope)}`
  )
  if (next !== undefined) writer.slot(nextPrefix + next, `,"next_cursor":"${next}"`)
  writer.text(`,"replies":[`)
  for (const [place, reply] of replies.entries()) {
    if (place > 0) writer.text(",")
    writeReply(writer, reply)
  }
  return writer.text("]}}").done()
}

/** The texts of the slots of a thread and its posts that differ from the usual for a viewer. */
export const differencesFor = (
  { hasCollected, lastReadAt, replied, replies, repliesSince }: ViewerState,
  liked: Liked
): Differences => {
  const differences = new Map<string, string>()
  if (lastReadAt !== undefined) {
    const status = { last_read_at: lastReadAt, replies_since: repliesSince }
    differences.set("read_status", `,"read_status":${JSON.stringify(status)}`)
  }
  if (replies !== undefined) differences.set("replies", String(replies))
  if (hasCollected) differences.set("collected", "true")
  if (replied > 0) differences.set("replied", String(replied))
  for (const post of liked) differences.set(likeSlot(post), "true")
  return differences
}
