import type { AttackedGateway } from './attacked-gateway.ts'

export interface Attack {
  /** Of the record of such gateways: a number under which it became known. */
  row: string
  /** What is tried. */
  what: string
  /** Requirements that it puts to the test. */
  proves?: string
  /** Tries it, expects it to fail, and says what came of it. */
  attempt(gateway: AttackedGateway): Promise<string>
}
