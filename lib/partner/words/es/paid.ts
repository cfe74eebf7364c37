import { brandName } from "../../../../brand/name.ts";
import type { paid as english } from "../en/paid.ts";
import type { Translation } from "../translation.ts";

export const paid: Translation<typeof english> = {
  title: "Pagos",
  lead: "Lo que la empresa les ha pagado a sus vendedores, del más reciente al más antiguo.",
  paySeller: "Pagar a un vendedor",
  payMany: "Pagar a varios vendedores",
  loading: "Buscando pagos",
  newest: "Los más recientes",
  payment: "Pago",
  namesake: "{name} (teléfono\u00a0••{ending}, {email})",
  unknownAccount: "Cuenta desconocida",
  columns: {
    what: "Concepto",
    seller: "Vendedor",
    date: "Fecha",
    status: "Estado",
    amount: "Monto",
  },
  filters: {
    search: "Buscar",
    status: "Estado",
    show: "Mostrar",
    all: "Todos",
    active: "En curso",
    attention: "Requieren atención",
    completed: "Completados",
    failed: "No completados",
  },
  none: {
    title: "Todavía no hay pagos",
    text: "Pague a un vendedor y siga el dinero aquí.",
  },
  noMatch: {
    title: "Ningún pago coincide",
    text: "Pruebe con otras palabras u otro estado.",
    action: "Mostrar todos",
  },
  notCompared: {
    title: "No podemos verificar esta lista",
    text: `No podemos leer una lista completa de sus pagos en [service]. Si ${brandName} se restauró a partir de una copia de seguridad, consulte con [service] antes de pagar.`,
  },
  attention: {
    title: "{count, plural, one {1 pago necesita su revisión} other {# pagos necesitan su revisión}}",
    text: "No pudimos averiguar qué pasó con {count, plural, one {él, o es posible que se haya} other {ellos, o es posible que se hayan}} hecho dos veces. <link>{count, plural, one {Revisarlo} other {Revisarlos}}</link>",
  },
  page: {
    toSeller: "<amount></amount> para {name}",
    toUnknown: "<amount></amount> para una cuenta desconocida",
    whatHappened: "Qué pasó",
    status: "Estado",
    transfer: "Transferencia",
    paymentId: "ID del pago",
    copyPaymentId: "ID del pago",
    transferId: "ID de la transferencia",
    copyTransferId: "ID de la transferencia",
  },
  events: {
    sent: `Pago enviado por ${brandName}`,
    reported: "{what, select, routine {Pago} other {Transferencia}}: {status}",
    confirmed: "{by} confirmó qué pasó",
    accepted: "Pago aceptado",
    arrives: "Llega el dinero",
    arrivesAt: "El dinero le llega a {name}",
    news: "Nuevo estado {what, select, routine {del pago} other {de la transferencia}}: {status}.",
  },
  balances: {
    title: "Saldos",
    lead: "Lo que había en cada cuenta, y cuándo se consultó.",
    account: "Cuenta de",
    before: "Antes",
    after: "Después",
    business: "La empresa",
    unknown: "Desconocido",
    notYet: "Todavía no",
  },
  webhooks: {
    title: "Webhooks",
    lead: "Eventos de [service] sobre este pago, cada uno verificado.",
    none: "Todavía no hay ninguno.",
    noType: "Sin tipo",
    accepted: "Aceptado",
    applying: "Aplicándose",
    duplicates: "{count, plural, one {1 duplicado, ignorado} other {# duplicados, ignorados}}",
  },
  notices: {
    payAgain:
      "Cuando la cuenta del vendedor esté en orden, <link>páguele de nuevo</link>. Nosotros llenamos el formulario, y no se envía nada hasta que usted lo revise.",
    twice: {
      title: "Es posible que esto se haya pagado dos veces",
      text: `[service] tiene un segundo registro de exactamente este pago: <id></id>. ${brandName} envió el pago de nuevo con la misma clave de idempotencia, lo que su configuración considera seguro. No volverá a enviar ningún pago por su cuenta hasta que <link>usted resuelva este</link>.`,
      copyId: "segundo ID del pago",
    },
    sending: {
      title: "Estamos enviando este pago",
      text: "Esto toma unos segundos como máximo. Puede salir de esta página.",
    },
    refused: {
      title: "Este pago no se hizo",
      text: "{reason}. No se movió dinero.",
      byPerson: "{reason}.",
    },
    failed: {
      title: "Este pago no llegó",
      text: "{reason}. El dinero está de vuelta en la cuenta de la que salió.",
    },
    confirmed: {
      arrived: "Este pago llegó",
      notArrived: "Este pago no llegó",
      text: "[service] había informado resultados distintos. {by} confirmó este (<time></time>).",
    },
    found: {
      title: `${brandName} no tiene constancia de haber enviado este pago`,
      text: `Lo encontramos en [service]. Lo hizo otra aplicación, o se hizo antes de que ${brandName} se restaurara a partir de una copia de seguridad.`,
    },
    missing: {
      title: "[service] no reconoce este pago",
      last: "Su último estado fue “{status}”, pero [service] ya no tiene registro de él, así que es posible que el dinero no haya llegado. Esto puede suceder cuando [service] se restaura a partir de una copia de seguridad. No haga un pago nuevo todavía. Si este aparece otra vez, lo seguiremos.",
      text: "[service] ya no tiene registro de él, así que es posible que el dinero no haya llegado. Esto puede suceder cuando [service] se restaura a partir de una copia de seguridad. No haga un pago nuevo todavía. Si este aparece otra vez, lo seguiremos.",
      sendAgain:
        "Primero consulte con [service]. Si confirma que el pago se perdió, <link>envíelo otra vez</link>. Se envía una sola vez, aunque presione el botón varias veces.",
    },
    conflicting: {
      title: "Este pago necesita su revisión",
      text: "[service] informó resultados distintos: {results}. Es posible que el dinero haya llegado, así que no lo pague de nuevo todavía. Pregunte a [service] qué resultado es el correcto y luego <link>registre la respuesta</link>.",
      result: "{what, select, routine {pago} other {transferencia}} “{status}”",
      between: "; después, ",
      confirmed: "{by} confirmó un resultado el <time></time>, y después llegó otro informe.",
    },
    unanswered: {
      title: "Todavía no sabemos si esto se pagó",
      noAnswer: "No tenemos respuesta sobre este pago, así que es posible que se haya hecho.",
      notUnderstood:
        "[service] respondió que todo salió bien, pero no indicó cómo seguir el pago. Lo más probable es que se haya hecho.",
      findingOut: "No lo pague de nuevo. Lo estamos averiguando, y esta página se actualiza en cuanto lo sepamos.",
      looking: "No lo pague de nuevo. Seguimos buscándolo, y esta página se actualiza en cuanto lo sepamos.",
      twoDays: "Lo enviamos por primera vez hace más de dos días.",
      notListed:
        "[service] ahora rechaza este pago y no lo muestra en su lista, pero no puede descartar que nuestra primera solicitud todavía llegue.",
      ask: "No lo enviaremos de nuevo. Consulte con [service] antes de pagar otra vez. Si sabe qué pasó, <link>regístrelo aquí</link>.",
    },
  },
};
