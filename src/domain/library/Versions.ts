/** What people may do with versions of pages: drafts are created, changed, deleted, and applied to their page. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type DomainEvent, EventLog } from "../event/EventLog.ts"
import { LinkStore } from "../link/LinkStore.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { type NodeId, NodeVersionId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { draftExists } from "./DraftRules.ts"
import { NodeNotFound } from "./Node.ts"
import { decideEvents } from "./NodeEvents.ts"
import type { NodeState } from "./NodeRules.ts"
import { withSlug } from "./NodeSlugs.ts"
import { NodeStore } from "./NodeStore.ts"
import { descriptionOf, makeNodeText } from "./NodeText.ts"
import {
  type NewNodeVersion,
  NodeVersionApplied,
  type NodeVersionChanges,
  NodeVersionNotDraft,
  NodeVersionNotFound
} from "./NodeVersion.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { fieldsOf, PropertyStore } from "./PropertyStore.ts"
import {
  decideDraftChange,
  decideDraftRemoval,
  mayReach,
  mayReachDraft,
  type ProposedProperties,
  propertiesToApply,
  proposedTo,
  type Reach,
  type VersionDecision,
  type VersionStanding
} from "./VersionRules.ts"
import {
  type DraftContent,
  type DraftOverlay,
  type VersionMark,
  type VersionState,
  VersionStore
} from "./VersionStore.ts"

export const versionNotFound = (nodeMark: string, mark: VersionMark) =>
  new NodeVersionNotFound({ metadata: { node_slug: nodeMark, version_id: mark } })

/** A page that is locked, and who changes a version of it. */
interface Locked {
  readonly actor: AccountActor
  readonly node: NodeState
}

type Happened =
  | "NodeVersionDraftCreated"
  | "NodeVersionDraftUpdated"
  | "NodeVersionDraftApplied"
  | "NodeVersionDraftDeleted"

const make = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const store = yield* VersionStore
  const properties = yield* PropertyStore
  const links = yield* LinkStore
  const edits = yield* PropertyEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const ids = yield* Ids
  const readText = yield* makeNodeText

  const reached = Effect.fnUntraced(function* (mark: string, found: Option.Option<NodeState>, may: Reach) {
    const actor = yield* CurrentAccount
    if (Option.isSome(found) && may(found.value, actor)) return { actor, node: found.value }
    return yield* new NodeNotFound({ metadata: { node_slug: mark } })
  })

  /** The page that a mark names, if the caller may know of it. */
  const find = Effect.fnUntraced(function* (mark: string, may: Reach = mayReach) {
    return yield* reached(mark, yield* nodes.find(mark), may)
  })

  /** The same once it is locked, until the transaction ends. */
  const lock = Effect.fnUntraced(function* (mark: string, id: NodeId, may: Reach = mayReach) {
    return yield* reached(mark, yield* nodes.findForUpdate(id), may)
  })

  /** Writes what becomes of a page and its versions, which are locked. */
  const writing = <A, E, R>(
    mark: string,
    id: NodeId,
    write: (locked: Locked) => Effect.Effect<A, E, R>,
    may: Reach = mayReach
  ) => queue(id, transaction(Effect.flatMap(lock(mark, id, may), write)))

  const eventOf = (
    happened: Happened,
    node: NodeState,
    { authorId, id }: Pick<VersionState, "authorId" | "id">
  ): DomainEvent => ({
    _tag: happened,
    node_id: node.id,
    node_slug: node.slug,
    version_id: id,
    author_id: authorId,
    owner_id: node.ownerId
  })

  const tell = (
    happened: Happened,
    { actor, node }: Locked,
    version: Pick<VersionState, "authorId" | "id">
  ) => events.append(actor.accountId, eventOf(happened, node, version))

  /** What a request changes of a draft, but for properties, which are read with the page locked. */
  const overlayOf = Effect.fnUntraced(function* (sent: NewNodeVersion) {
    const { content, properties: _, ...same } = withSlug(sent)
    if (content === undefined) return same satisfies DraftOverlay
    return { ...same, text: content === null ? null : yield* readText(content) } satisfies DraftOverlay
  })

  const proposing = Effect.fnUntraced(function* (
    overlay: DraftOverlay,
    node: NodeState,
    { properties: wanted }: NewNodeVersion
  ) {
    if (wanted === undefined) return overlay
    const proposed = proposedTo(yield* properties.fieldsForUpdate(fieldsOf(node)), wanted)
    return { ...overlay, proposed } satisfies DraftOverlay
  })

  const create = Effect.fn("Versions.create")(function* (mark: string, input: NewNodeVersion) {
    const { node } = yield* find(mark)
    if (node.drafter !== undefined) return yield* draftExists(node)
    const texts = yield* overlayOf(input)
    const id = NodeVersionId.make(yield* ids.next)
    const creation = Effect.fnUntraced(function* (locked: Locked) {
      if (locked.node.drafter !== undefined) return yield* draftExists(locked.node)
      const authorId = locked.actor.accountId
      const overlay = yield* proposing(texts, locked.node, input)
      const version = yield* store.insert(locked.node, { id, authorId, overlay, at: yield* DateTime.now })
      yield* tell("NodeVersionDraftCreated", locked, { authorId, id })
      return version
    })
    return yield* writing(mark, node.id, creation)
  })

  /** The draft of a page, if the caller may see it. */
  const draftOf = Effect.fnUntraced(function* (mark: string, { actor, node }: Locked) {
    const draft = Option.getOrUndefined(yield* store.findState(node.id, "draft"))
    if (draft === undefined || decideDraftChange(draft, actor) !== "allowed") {
      return yield* versionNotFound(mark, "draft")
    }
    return draft
  })

  /** The version with this id, if what is decided of it is that the caller may do this. */
  const permitted = Effect.fnUntraced(function* (
    mark: string,
    id: NodeVersionId,
    { actor, node }: Locked,
    decide: (version: VersionStanding, actor: AccountActor) => VersionDecision
  ) {
    const version = Option.getOrUndefined(yield* store.findState(node.id, id))
    if (version === undefined) return yield* versionNotFound(mark, id)
    const decision = decide(version, actor)
    if (decision === "unknown") return yield* versionNotFound(mark, id)
    if (decision === "applied") return yield* new NodeVersionApplied({ metadata: { version_id: id } })
    return version
  })

  /** Changes what `choose` finds to be changed, and answers it. */
  const updating = Effect.fnUntraced(function* <E>(
    mark: string,
    changes: NodeVersionChanges,
    choose: (locked: Locked) => Effect.Effect<VersionState, E>
  ) {
    const { node } = yield* find(mark)
    const texts = yield* overlayOf(changes)
    const update = Effect.fnUntraced(function* (locked: Locked) {
      const version = yield* choose(locked)
      const overlay = yield* proposing(texts, locked.node, changes)
      if (Object.keys(overlay).length === 0) return version.id
      yield* store.update(version.id, overlay, yield* DateTime.now)
      yield* tell("NodeVersionDraftUpdated", locked, version)
      return version.id
    })
    return yield* shown(mark, node.id, yield* writing(mark, node.id, update))
  })

  /** A version that was just written; it may have been deleted since. */
  const shown = Effect.fnUntraced(function* (mark: string, nodeId: NodeId, id: NodeVersionId) {
    const found = yield* store.find(nodeId, id)
    return Option.isNone(found) ? yield* versionNotFound(mark, id) : found.value
  })

  const updateDraft = Effect.fn("Versions.updateDraft")(function* (
    mark: string,
    changes: NodeVersionChanges
  ) {
    return yield* updating(mark, changes, (locked) => draftOf(mark, locked))
  })

  const update = Effect.fn("Versions.update")(function* (
    mark: string,
    id: NodeVersionId,
    changes: NodeVersionChanges
  ) {
    return yield* updating(mark, changes, (locked) => permitted(mark, id, locked, decideDraftChange))
  })

  const remove = Effect.fn("Versions.remove")(function* (mark: string, id: NodeVersionId) {
    const { node } = yield* find(mark, mayReachDraft)
    const removal = Effect.fnUntraced(function* (locked: Locked) {
      const draft = yield* permitted(mark, id, locked, (version, actor) =>
        decideDraftRemoval(locked.node, version, actor)
      )
      yield* store.delete(draft.id)
      yield* tell("NodeVersionDraftDeleted", locked, draft)
    })
    yield* writing(mark, node.id, removal, mayReachDraft)
  })

  /** Fields are those of managers of the library, who apply drafts. */
  const applyProperties = Effect.fnUntraced(function* (node: NodeState, proposed: ProposedProperties) {
    const current = yield* properties.propertiesForUpdate(node)
    const list = propertiesToApply(proposed, current)
    // As they own the fields, they may do with them what the list says.
    return yield* edits
      .replace(node, list, { right: "own", isNew: false })
      .pipe(Effect.catchTag("PropertyFieldsNotYours", Effect.die))
  })

  /** Makes the page what its draft says. What the draft leaves empty, the page loses. Answers what to tell of fields. */
  const becoming = Effect.fnUntraced(function* (
    locked: Locked,
    id: NodeVersionId,
    draft: DraftContent,
    ownExcerpt: string | undefined
  ) {
    const { content, description, excerpt, meta, name, proposed, slug } = draft
    const { node } = locked
    const told = proposed === undefined ? [] : yield* applyProperties(node, proposed)
    const at = yield* DateTime.now
    const update = {
      name,
      ...(slug === node.slug ? {} : { slug }),
      // Content describes its page, whatever the draft says beside it.
      description: (content === undefined ? description : (excerpt ?? ownExcerpt)) ?? "",
      content: content ?? null,
      meta,
      currentVersionId: id
    }
    yield* nodes.update(node.id, update, at)
    const linked = content === undefined ? [] : draft.links
    if (linked !== undefined) yield* links.setNodeLinks(node.id, yield* links.resolveAll(linked, at))
    yield* store.markApplied(node, id, at)
    return told
  })

  /** For managers of the library. */
  const apply = Effect.fn("Versions.apply")(function* (mark: string, id: NodeVersionId) {
    const { node } = yield* find(mark)
    // Content that the draft took from the page is read before the transaction. It stays until it is written.
    const ownExcerpt = Option.map(yield* store.findUnread(node.id, id), descriptionOf)
    const application = Effect.fnUntraced(function* (locked: Locked) {
      const version = Option.getOrUndefined(yield* store.findState(locked.node.id, id))
      if (version === undefined) return yield* versionNotFound(mark, id)
      if (version.status === "applied")
        return yield* new NodeVersionNotDraft({ metadata: { version_id: id } })
      const draft = yield* store.readDraft(id)
      const told = yield* becoming(locked, id, draft, Option.getOrUndefined(ownExcerpt))
      const node = { ...locked.node, slug: draft.slug }
      yield* events.append(
        locked.actor.accountId,
        ...decideEvents(node, node.visibility),
        ...told,
        eventOf("NodeVersionDraftApplied", node, version)
      )
    })
    const inGroup = Effect.andThen(
      nodes.lockGroupOf(node.id),
      Effect.flatMap(lock(mark, node.id), application)
    )
    yield* queue(node.id, transaction(inGroup))
    return yield* shown(mark, node.id, id)
  })

  return { create, updateDraft, update, remove, apply } as const
})

export class Versions extends Context.Service<Versions, Effect.Success<typeof make>>()(
  "forum/domain/Versions"
) {
  static readonly layer = Layer.effect(Versions, make)
}
