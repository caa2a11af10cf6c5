import { ForumApi } from "./src/http/Api.ts"
import { documentOf } from "./src/http/shared/Document.ts"
import { Validator } from "@seriousme/openapi-schema-validator"
import { writeFileSync } from "node:fs"
const d = documentOf(ForumApi, {publicUrl:new URL("http://forum.test"),webUrl:new URL("http://forum.test"),origins:[],version:"1.2.3"})
writeFileSync("/tmp/oa/doc.json", JSON.stringify(d,null,1))
console.log(JSON.stringify(d).length)
const r = await new Validator().validate(structuredClone(d) as any)
console.log(r.valid, JSON.stringify(r.errors)?.slice(0,2000))
