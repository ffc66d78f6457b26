// A cluster in a process of its own, for tests that kill it.
//   node databases-process.ts FOLDER
import { startDatabases } from './databases-server.ts'

const [, , folder = ''] = process.argv
const { url } = await startDatabases({ kind: 'sqlite', folder }, folder)
process.send?.(url)
