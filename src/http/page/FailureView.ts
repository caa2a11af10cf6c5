/** The page that says why something was refused. */
import { AccountSuspended, Forbidden } from "../../domain/shared/Actor.ts"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import { html } from "./Html.ts"
import { announced, type PageContent } from "./Layout.ts"
import type { Spoken } from "./texts/Texts.ts"

interface Shown {
  readonly texts: Spoken
  readonly root: string
}

/** The seconds after which it may be tried again, as problems name them. */
export const secondsOf = ({ metadata }: AnyProblem): number =>
  "retry_after" in metadata ? Number(metadata.retry_after) : 60

/** What a problem is for people, which pages that know better say themselves. */
export const noticeOf = (problem: AnyProblem, traceId: string, { root, texts }: Shown): PageContent => {
  const { failures, layout } = texts
  const notice = (title: string, text: string): PageContent => ({
    title,
    isError: true,
    body: html`${announced(text)}`
  })
  if (problem instanceof AccountSuspended) {
    return {
      title: failures.suspendedTitle,
      isError: true,
      body: html`${announced(failures.suspended)}
<form method="post" action="${root}api/auth/logout"><button class="other">${layout.signOut}</button></form>`
    }
  }
  if (problem instanceof Forbidden) return notice(failures.forbiddenTitle, failures.forbidden)
  if ("retry_after" in problem.metadata && problem.status < 500) {
    return notice(failures.tooManyTitle, failures.tooMany(secondsOf(problem)))
  }
  if (problem.status === 503) return notice(failures.busyTitle, failures.busy)
  if (problem.status < 500) return notice(failures.formTitle, failures.form)
  return {
    title: failures.failedTitle,
    isError: true,
    body: announced(html`${failures.failed} <code>${traceId}</code>`)
  }
}
