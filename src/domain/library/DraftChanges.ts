/** Drafts are created, changed and deleted. */
import { DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { NodeVersionId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { makeDraftOverlays } from "./DraftOverlays.ts"
import { draftExists } from "./DraftRules.ts"
import { type Happened, versionEvent } from "./NodeEvents.ts"
import type { NewNodeVersion, NodeVersionChanges } from "./NodeVersion.ts"
import { type Locked, makeVersionAccess } from "./VersionAccess.ts"
import { decideDraftChange, decideDraftRemoval, mayReachDraft } from "./VersionRules.ts"
import { type VersionState, VersionStore } from "./VersionStore.ts"

export const makeDraftChanges = Effect.gen(function* () {
  const versions = yield* VersionStore
  const events = yield* EventLog
  const ids = yield* Ids
  const { overlayOf, proposing } = yield* makeDraftOverlays
  const { draftOf, getNode, permitted, shown, writing } = yield* makeVersionAccess

  const tell = (
    happened: Happened,
    { actor, node }: Locked,
    version: Pick<VersionState, "authorId" | "id">
  ) => events.append(actor.accountId, versionEvent(happened, node, version))

  const create = Effect.fn("Versions.create")(function* (mark: string, input: NewNodeVersion) {
    const { node } = yield* getNode(mark)
    if (node.drafter !== undefined) return yield* draftExists(node)
    const texts = yield* overlayOf(input)
    const id = NodeVersionId.make(yield* ids.next)
    const creation = Effect.fnUntraced(function* (locked: Locked) {
      if (locked.node.drafter !== undefined) return yield* draftExists(locked.node)
      const authorId = locked.actor.accountId
      const overlay = yield* proposing(texts, locked.node, input)
      const version = yield* versions.insert(locked.node, { id, authorId, overlay, at: yield* DateTime.now })
      yield* tell("NodeVersionDraftCreated", locked, { authorId, id })
      return version
    })
    return yield* writing(mark, node.id, creation)
  })

  /** Changes what `choose` finds to be changed, and answers it. */
  const updating = Effect.fnUntraced(function* <E>(
    mark: string,
    changes: NodeVersionChanges,
    choose: (locked: Locked) => Effect.Effect<VersionState, E>
  ) {
    const { node } = yield* getNode(mark)
    const texts = yield* overlayOf(changes)
    const update = Effect.fnUntraced(function* (locked: Locked) {
      const version = yield* choose(locked)
      const overlay = yield* proposing(texts, locked.node, changes)
      if (Object.keys(overlay).length === 0) return version.id
      yield* versions.update(version.id, overlay, yield* DateTime.now)
      yield* tell("NodeVersionDraftUpdated", locked, version)
      return version.id
    })
    return yield* shown(mark, node.id, yield* writing(mark, node.id, update))
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
    const { node } = yield* getNode(mark, mayReachDraft)
    const removal = Effect.fnUntraced(function* (locked: Locked) {
      const draft = yield* permitted(mark, id, locked, (version, actor) =>
        decideDraftRemoval(locked.node, version, actor)
      )
      yield* versions.delete(draft.id)
      yield* tell("NodeVersionDraftDeleted", locked, draft)
    })
    yield* writing(mark, node.id, removal, mayReachDraft)
  })

  return { create, updateDraft, update, remove } as const
})
