import type { ReactNode } from 'react'
import { useSearch } from 'wouter'
import { Tabs, useTab } from '../../parts/tabs.tsx'
import { ServicePage } from '../services/service-page.tsx'
import { ChannelsTab } from './channels-tab.tsx'
import { DeadLettersTab } from './dead-letters-tab.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { DeliveryStory } from './delivery-story.tsx'
import { MappingsTab } from './mappings-tab.tsx'

const tabs = { deliveries: 'Deliveries', dead: 'Dead letters', mappings: 'Mappings', channels: 'Channels' } as const

const views: Record<keyof typeof tabs, () => ReactNode> = {
  deliveries: DeliveriesTab,
  dead: DeadLettersTab,
  mappings: MappingsTab,
  channels: ChannelsTab,
}

export function HooksPage() {
  const tab = useTab(tabs)
  const id = new URLSearchParams(useSearch()).get('delivery')
  const View = views[tab]
  return (
    <ServicePage
      service="hooks"
      title="Hooks"
      about="What other programs send, what the agent makes of it, and where its replies go."
      purpose="The gateway takes webhooks and runs agents on them."
    >
      <Tabs label="Parts of the gateway" tabs={tabs} chosen={tab} />
      {id === null ? <View /> : <DeliveryStory id={id} />}
    </ServicePage>
  )
}
