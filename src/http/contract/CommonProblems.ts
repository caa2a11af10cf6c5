import { HttpApiMiddleware } from "effect/http-api"
import { StorageUnavailable, TooManyWriters } from "../../domain/storage/StorageProblem.ts"
import {
  CrossSiteRequest,
  DeadlineExceeded,
  InternalError,
  InvalidRequest,
  PayloadTooLarge,
  RateLimitExceeded,
  ServiceBusy,
  ShuttingDown,
  UnsupportedMediaType
} from "./RequestProblems.ts"

/** Declares the problems that any operation may answer with. Its layer is in `ProblemResponses.ts`. */
export class CommonProblems extends HttpApiMiddleware.Service<CommonProblems>()("forum/http/CommonProblems", {
  error: [
    RateLimitExceeded,
    InvalidRequest,
    CrossSiteRequest,
    PayloadTooLarge,
    UnsupportedMediaType,
    InternalError,
    StorageUnavailable,
    DeadlineExceeded,
    ServiceBusy,
    ShuttingDown,
    TooManyWriters
  ]
}) {}
