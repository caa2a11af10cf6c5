import { migration } from "../shared/migration.ts"

export default migration([
  `insert into audited_events (tag, type, fields) values ('NodeFieldsDeleted', 'node_property_fields_deleted',
    '{"node_id": "id", "names": "names", "values": "values"}')`
])
