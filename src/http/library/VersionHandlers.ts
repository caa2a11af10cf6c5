import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { NewNodeVersion, NodeVersionChanges } from "../../domain/library/NodeVersion.ts"
import { Versions } from "../../domain/library/Versions.ts"
import { VersionViews } from "../../domain/library/VersionViews.ts"
import type { NodeVersionId } from "../../domain/shared/Id.ts"
import { inPages, type ListRequest } from "../pipeline/ListPlaces.ts"

interface OfPage {
  readonly params: { readonly node_slug: string }
}

interface OfVersion {
  readonly params: { readonly node_slug: string; readonly version_id: NodeVersionId }
}

interface Creation extends OfPage {
  readonly payload: NewNodeVersion
}

interface Change {
  readonly payload: NodeVersionChanges
}

/** Handlers of the operations on versions of nodes. */
export const makeVersionHandlers = Effect.gen(function* () {
  const versions = yield* Versions
  const views = yield* VersionViews
  return {
    // Encoding fifty versions by schema would take longer than reading them. The tests hold every answer to its schema.
    listDrafts: (request: ListRequest) =>
      Effect.map(inPages(request, views.drafts), (found) => HttpServerResponse.jsonUnsafe(found)),
    listVersions: (request: OfPage & ListRequest) =>
      Effect.map(
        inPages(request, (place) => views.list(request.params.node_slug, place)),
        (found) => HttpServerResponse.jsonUnsafe(found)
      ),
    createVersion: ({ params, payload }: Creation) => versions.create(params.node_slug, payload),
    getDraft: ({ params }: OfPage) => views.get(params.node_slug, "draft"),
    updateDraft: ({ params, payload }: OfPage & Change) => versions.updateDraft(params.node_slug, payload),
    getVersion: ({ params }: OfVersion) => views.get(params.node_slug, params.version_id),
    updateVersion: ({ params, payload }: OfVersion & Change) =>
      versions.update(params.node_slug, params.version_id, payload),
    deleteVersion: ({ params }: OfVersion) => versions.remove(params.node_slug, params.version_id),
    applyVersion: ({ params }: OfVersion) => versions.apply(params.node_slug, params.version_id)
  } as const
})
