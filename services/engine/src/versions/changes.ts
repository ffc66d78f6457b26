// All changes, the oldest version first. Versions that are not here changed nothing of what is served.
import type { Change } from './change.ts'
import { pluginChanges } from './plugin-changes.ts'
import { serviceChanges } from './service-changes.ts'
import { swarmChanges } from './swarm-changes.ts'
import { changes as v1_19 } from './v1.19.ts'
import { changes as v1_20 } from './v1.20.ts'
import { changes as v1_21 } from './v1.21.ts'
import { changes as v1_22 } from './v1.22.ts'
import { changes as v1_23 } from './v1.23.ts'
import { changes as v1_24 } from './v1.24.ts'
import { changes as v1_25 } from './v1.25.ts'
import { changes as v1_27 } from './v1.27.ts'
import { changes as v1_28 } from './v1.28.ts'
import { changes as v1_29 } from './v1.29.ts'
import { changes as v1_30 } from './v1.30.ts'
import { changes as v1_31 } from './v1.31.ts'
import { changes as v1_32 } from './v1.32.ts'
import { changes as v1_33 } from './v1.33.ts'
import { changes as v1_34 } from './v1.34.ts'
import { changes as v1_35 } from './v1.35.ts'
import { changes as v1_36 } from './v1.36.ts'
import { changes as v1_37 } from './v1.37.ts'
import { changes as v1_39 } from './v1.39.ts'
import { changes as v1_40 } from './v1.40.ts'
import { changes as v1_41 } from './v1.41.ts'
import { changes as v1_42 } from './v1.42.ts'
import { changes as v1_43 } from './v1.43.ts'
import { changes as v1_44 } from './v1.44.ts'
import { changes as v1_45 } from './v1.45.ts'
import { changes as v1_46 } from './v1.46.ts'
import { changes as v1_47 } from './v1.47.ts'

const inOrder = (all: readonly Change[]): Change[] =>
  [...all].sort((one, other) => Number(one.since.slice(2)) - Number(other.since.slice(2)))

export const changes: readonly Change[] = inOrder([
  ...v1_19,
  ...v1_20,
  ...v1_21,
  ...v1_22,
  ...v1_23,
  ...v1_24,
  ...v1_25,
  ...v1_27,
  ...v1_28,
  ...v1_29,
  ...v1_30,
  ...v1_31,
  ...v1_32,
  ...v1_33,
  ...v1_34,
  ...v1_35,
  ...v1_36,
  ...v1_37,
  ...v1_39,
  ...v1_40,
  ...v1_41,
  ...v1_42,
  ...v1_43,
  ...v1_44,
  ...v1_45,
  ...v1_46,
  ...v1_47,
  ...pluginChanges,
  ...swarmChanges,
  ...serviceChanges,
])
