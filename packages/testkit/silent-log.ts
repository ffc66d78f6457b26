import type { Log } from '@atoll/kernel/telemetry/log'

/** For tests that do not look at logs. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog }
