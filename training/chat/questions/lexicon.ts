const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/))
const names = (text: string): Set<string> =>
  new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  )

export const firstNames = words(`
Aaron Abigail Abraham Ada Adam Adolf Agnes Alan Albert Alex Alexander Alexandra Alexis Alfred Alice Allen Amanda Amelia
Amy Ana Andre Andrea Andrew Andy Angela Ann Anna Anne Annie Anthony Antonio Arnold Arthur Audrey Augustus Barack Barbara
Barry Beatrice Ben Benito Benjamin Bernard Bernie Beth Betty Bill Bob Brandon Brian Bruce Calvin Carl Carlos Carol
Caroline Carter Catherine Cecil Cesar Charles Charlotte Chester Chris Christian Christina Christine Christopher Clara
Clarence Claude Claudia Colin Craig Cynthia Daniel Danny David Dean Deborah Dennis Diana Diane Dmitri Donald Dora
Dorothy Douglas Duncan Dwight Earl Ed Eddie Edgar Edith Edmund Eduard Edward Edwin Eleanor Elena Eli Elijah Elizabeth
Ella Ellen Emil Emily Emma Enrico Eric Erica Erik Ernest Esther Ethel Eugene Eva Evelyn Felix Ferdinand Fidel Florence
Frances Francis Francisco Frank Franklin Franz Fred Frederick Friedrich Fritz Galileo Gary Gene Geoffrey Georg George
Georges Gerald Gerard Gilbert Giovanni Glenn Gloria Gordon Grace Graham Greg Gregor Gregory Guy Hannah Hans Harold Harriet
Harry Harvey Heather Helen Henri Henry Herbert Herman Hillary Howard Hubert Hugh Hugo Ian Ida Igor Immanuel Irene Isaac
Isabel Isabella Ivan Jack Jackie Jacob Jacques James Jan Jane Janet Jason Jay Jean Jeff Jefferson Jeffrey Jennifer
Jeremy Jerome Jerry Jesse Jessica Jill Jim Jimmy Joan Joe Joel Johan Johann Johannes John Johnny Jon Jonathan Jordan
Jose Joseph Josephine Joshua Joyce Juan Judith Julia Julian Julie Julius Karen Karl Kate Katherine Kathleen Keith
Kelly Ken Kenneth Kevin Kim Kurt Larry Laura Lawrence Lee Leo Leon Leonard Leonardo Leroy Leslie Lester Lewis Lillian
Lincoln Linda Linus Lisa Lloyd Lois Louis Louise Lucas Lucia Lucius Lucretia Lucy Ludwig Luis Luke Lydia Lynn Lyndon
Madeleine Malcolm Marco Marcus Margaret Maria Marie Marilyn Mario Marion Mark Marshall Martha Martin Marvin Mary Matthew
Maurice Max Maya Melissa Michael Michel Michelangelo Michelle Miguel Mike Mildred Milton Miriam Mitchell Mohammed Molly
Monica Morgan Morris Moses Muhammad Nancy Napoleon Natalie Nathan Nathaniel Neil Nelson Nicholas Nick Nicolas Niels
Nikita Nikola Noah Noam Norman Oliver Olivia Oscar Oswald Otto Pablo Pamela Pat Patricia Patrick Paul Paula Pedro Peggy
Percy Perry Pete Peter Philip Phillip Phyllis Pierre Rachel Ralph Ramon Raymond Rebecca Reginald Rene Ricardo Richard
Rick Robert Roberta Roberto Robin Rodney Roger Roland Ron Ronald Rosa Rosalind Rose Roy Rudolf Rudolph Rupert Russell
Ruth Ryan Sally Salvador Sam Samantha Samuel Sandra Sara Sarah Scott Sean Sebastian Sergei Seth Shirley Sidney Sigmund
Silas Simon Socrates Sofia Sojourner Sophia Stanley Stella Stephanie Stephen Steve Steven Stuart Susan Susanna Sylvia
Ted Teresa Terry Thaddeus Thelma Theodor Theodore Theresa Thomas Thurgood Tim Timothy Toby Todd Tom Tony Tracy Ulysses
Upton Ursula Valentina Vanessa Vera Vernon Victor Victoria Vincent Viola Virginia Vivian Vladimir Wallace Walter Warren
Wendy Wilbur Wilhelm Will William Winston Wolfgang Woodrow Yuri Yvonne Zachary Zora`)

export const titles = words(`
President King Queen Prince Princess Emperor Empress Sir Lord Lady Dr Dr. Mr Mr. Mrs Mrs. Ms Ms. Professor General
Colonel Captain Major Admiral Senator Governor Justice Judge Pope Saint St. Reverend Rev. Bishop Cardinal Sultan Tsar
Czar Chancellor Secretary Minister Chief Duke Earl Count Baron Father Sister Brother Miss Aunt Uncle Representative
Congressman Congresswoman Lieutenant Sergeant Commander Pharaoh Rabbi`)

export const countries =
  names(`Afghanistan, Albania, Algeria, Angola, Argentina, Armenia, Australia, Austria, Azerbaijan,
Bahrain, Bangladesh, Belarus, Belgium, Bolivia, Bosnia, Botswana, Brazil, Britain, Great Britain, Bulgaria, Burma, Cambodia,
Cameroon, Canada, Chad, Chile, China, Colombia, Congo, Costa Rica, Croatia, Cuba, Cyprus, Czechoslovakia, Denmark, Ecuador,
Egypt, England, Estonia, Ethiopia, Finland, France, Germany, Ghana, Greece, Guatemala, Haiti, Honduras, Hungary, Iceland,
India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Jamaica, Japan, Jordan, Kazakhstan, Kenya, Kuwait, Laos, Latvia,
Lebanon, Liberia, Libya, Lithuania, Luxembourg, Madagascar, Malaysia, Mali, Malta, Mexico, Moldova, Mongolia, Morocco,
Mozambique, Myanmar, Namibia, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria, North Korea, Norway, Pakistan,
Panama, Paraguay, Peru, Philippines, Poland, Portugal, Prussia, Qatar, Romania, Russia, Rwanda, Saudi Arabia, Scotland,
Senegal, Serbia, Singapore, Slovakia, Slovenia, Somalia, South Africa, South Korea, Soviet Union, Spain, Sri Lanka, Sudan,
Sweden, Switzerland, Syria, Taiwan, Tanzania, Thailand, Tunisia, Turkey, Uganda, Ukraine, United Kingdom, United States,
Uruguay, Uzbekistan, Venezuela, Vietnam, Wales, Yemen, Yugoslavia, Zambia, Zimbabwe, Persia, Siam, Holland`)

export const states = names(`Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida,
Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota,
Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, North Carolina, North Dakota,
Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont,
West Virginia, Wisconsin, Wyoming`)

export const cities =
  names(`Amsterdam, Athens, Atlanta, Baghdad, Baltimore, Bangkok, Barcelona, Beijing, Beirut, Berlin,
Birmingham, Bombay, Bonn, Boston, Brussels, Budapest, Buenos Aires, Buffalo, Cairo, Calcutta, Cape Town, Charleston, Chicago,
Cincinnati, Cleveland, Cologne, Constantinople, Copenhagen, Dallas, Damascus, Delhi, Denver, Detroit, Dresden, Dublin,
Edinburgh, Florence, Frankfurt, Geneva, Genoa, Glasgow, Hamburg, Hanoi, Havana, Helsinki, Hiroshima, Hong Kong, Honolulu,
Houston, Istanbul, Jakarta, Jerusalem, Johannesburg, Kabul, Karachi, Kiev, Kyoto, Lagos, Las Vegas, Leipzig, Lima, Lisbon,
Liverpool, London, Los Angeles, Lyon, Madrid, Manchester, Manila, Marseille, Mecca, Melbourne, Memphis, Mexico City, Miami,
Milan, Milwaukee, Minneapolis, Montgomery, Montreal, Moscow, Mumbai, Munich, Nagasaki, Nairobi, Naples, Nashville,
New Delhi, New Orleans, New York, New York City, Osaka, Oslo, Oxford, Paris, Philadelphia, Phoenix, Pittsburgh, Prague, Quebec,
Richmond, Rome, Rotterdam, Saigon, Salem, San Diego, San Francisco, Santiago, Sarajevo, Savannah, Seattle, Seoul, Shanghai,
Sparta, St. Louis, Stockholm, Sydney, Tehran, Tokyo, Toronto, Tripoli, Turin, Vancouver, Venice, Vienna, Warsaw,
Washington D.C., Zurich, Alexandria, Carthage, Nuremberg, Versailles, Jamestown`)

export const continents = names('Africa, Asia, Europe, North America, South America, Antarctica, Oceania')

/** Last word of a name in capitals: what one asks for ("Which war ...?"). */
export const nameTypes = words(`
war wars battle act treaty river lake mountain island islands ocean sea bay university college school company corporation
party court bank railroad canal empire dynasty revolution rebellion movement church hospital museum bridge street park
theory law principle amendment agency department bureau commission committee council association society union league club team
newspaper magazine bill doctrine conference convention agreement pact plan program project institute foundation
museum airport desert valley peninsula coast province county city kingdom republic colony territory age era festival
award prize medal system effect model method scale test syndrome disease virus code protocol compromise proclamation
declaration constitution charter massacre riot strike expedition trail purchase trial case crisis depression
renaissance reformation enlightenment tribe nation journal cup army navy fleet tower palace castle temple cathedral`)

export const personNouns = words(`
man woman boy girl child person people men women children president king queen emperor prince princess minister senator
governor mayor judge lawyer attorney doctor physician nurse surgeon scientist physicist chemist biologist psychologist
sociologist economist historian philosopher author writer poet novelist journalist reporter editor artist painter sculptor
composer musician singer actor actress director producer architect engineer inventor explorer merchant trader farmer
planter worker laborer soldier officer general captain admiral sailor colonist settler immigrant migrant slave citizen voter
politician leader reformer activist abolitionist suffragist critic opponent supporter student teacher professor scholar
researcher expert manager owner employer employee customer consumer buyer seller investor banker entrepreneur businessman
patient client user developer programmer administrator designer analyst consultant member founder chairman chief father
mother son daughter brother sister wife husband parent uncle aunt cousin friend neighbor priest bishop pope monk nun
missionary preacher pastor rabbi saint prophet king lord lady knight peasant servant priest native inhabitant resident
refugee victim prisoner criminal thief killer witness player coach athlete champion winner candidate representative
delegate ambassador diplomat secretary commander pilot astronaut driver passenger tourist visitor guest host speaker
republican democrat federalist conservative liberal radical patriot loyalist puritan quaker catholic protestant jew muslim
christian american european african englishman frenchman spaniard german briton roman greek indian gentleman maid boss
guy fellow traveler hunter fisherman miner cowboy rancher stranger captive widow orphan baby infant adolescent adult
teenager youth commissioner troop rebel rioter militiaman slaveholder enslaver reader viewer lender borrower carrier aristocrat northerner southerner westerner islander new-yorker socialist communist nationalist unionist confederate texan virginian noble pamphleteer preacher justice juror freedman lobbyist legislator lawmaker congressman bureaucrat monarch ruler emperor warrior pilgrim nomad villager teammate rival ally enemy foe bride groom clerk guard agent detective physicist dancer participant individual observer theorist mathematician astronomer geologist botanist anthropologist`)

export const placeNouns = words(`
city town village country state nation region area province county district capital port harbor coast shore island
continent valley mountain hill desert forest river lake sea ocean bay peninsula north south east west northeast northwest
southeast southwest building house home hospital school university college church temple palace castle museum theater
library factory plant mine farm plantation garden park street road square market store shop laboratory lab
prison camp fort station airport bridge tower wall room kitchen hall neighborhood suburb colony territory border
frontier cell nucleus cytoplasm membrane mitochondria brain heart liver lung kidney stomach intestine blood bone muscle skin
atmosphere ocean stratosphere tropics equator pole chloroplast folder directory database server browser`)

export const humanVerbs = words(`
say write argue believe think claim propose suggest invent discover publish found paint compose study marry teach
persuade refuse insist demand declare announce explain describe note observe admit deny vow pledge urge vote testify
preach sail travel write sing speak ask answer hope fear decide realize recognize hire resign retire die be_born graduate
negotiate conclude theorize hypothesize coin patent assassinate murder`)

export const months = words('January February March April May June July August September October November December')
export const daysOfWeek = words('Monday Tuesday Wednesday Thursday Friday Saturday Sunday')
export const timeNouns = words(`
year years century centuries decade decades month months week weeks day days hour hours minute minutes second seconds
spring summer autumn fall winter morning afternoon evening night midnight noon era period age time moment times`)
export const unitNouns = words(`
mile kilometer meter foot inch yard centimeter millimeter acre hectare pound kilogram gram ton ounce liter gallon degree
volt watt joule percent dollar euro cent byte megabyte gigabyte`)
export const bareAdverbs = words(`
also however therefore thus then later soon eventually finally instead still already even moreover furthermore meanwhile
consequently subsequently additionally likewise similarly nevertheless nonetheless indeed perhaps initially ultimately
accordingly hence otherwise namely only just both simply actually certainly clearly obviously now first generally usually typically`)
export const deictic = words(`
this these that those such here there now today we our us i me my mine you your he she it they him them another other
others latter former same following above below previous next figure table chapter section example examples figures`)
export const massOk = words('information money time water food energy blood power land trade labor')
