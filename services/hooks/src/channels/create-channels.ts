// The channels that the configuration describes.
import type { ChannelKind } from '../actions.ts'
import type { Channel } from './channel.ts'
import type { ChannelsConfig } from './config.ts'
import { discordChannel } from './kinds/discord.ts'
import { emailChannel } from './kinds/email.ts'
import { ircChannel } from './kinds/irc.ts'
import { matrixChannel } from './kinds/matrix.ts'
import { mqttChannel } from './kinds/mqtt.ts'
import { slackChannel } from './kinds/slack.ts'
import { telegramChannel } from './kinds/telegram.ts'
import { xmppChannel } from './kinds/xmpp.ts'
import { addressFinder } from './net/find-address.ts'
import { requestSender } from './net/guarded-request.ts'
import { AllowedAddresses } from './net/private-addresses.ts'

export type Channels = ReadonlyMap<ChannelKind, Channel>

export function createChannels(config: ChannelsConfig): Channels {
  const findAddress = addressFinder(new AllowedAddresses(config.allowPrivateAddresses))
  const send = requestSender(findAddress)
  const { email, irc, mqtt, xmpp, matrix, slack, discord, telegram } = config
  const channels = [
    email && emailChannel(email, findAddress),
    irc && ircChannel(irc, findAddress),
    mqtt && mqttChannel(mqtt, findAddress),
    xmpp && xmppChannel(xmpp, findAddress),
    matrix && matrixChannel(matrix, send),
    slack && slackChannel(slack, send),
    discord && discordChannel(discord, send),
    telegram && telegramChannel(telegram, send),
  ]
  return new Map(channels.filter((channel) => channel !== undefined).map((channel) => [channel.kind, channel]))
}
