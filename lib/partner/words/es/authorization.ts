import { brandName } from "../../../../brand/name.ts";
import type * as english from "../en/authorization.ts";
import type { Translation } from "../translation.ts";

const outage = "No se conectó nada. Por lo general se resuelve en un minuto. Intente de nuevo entonces.";

export const authorize: Translation<typeof english.authorize> = {
  unreachable: "Nuestro servicio de pagos no respondió. Intente de nuevo en un minuto.",
  unreadable: "No pudimos leer la respuesta de nuestro servicio de pagos. Comuníquese con nosotros.",
  customerEndpoint: `Nuestro servicio de pagos no pudo confirmar con ${brandName} quién es usted. Comuníquese con nosotros.`,
  notNow: "Nuestro servicio de pagos no puede hacer esto en este momento. Intente de nuevo en un minuto.",
  otherPhone:
    "Nuestro servicio de pagos tiene un número de teléfono distinto del que usted usa para iniciar sesión aquí. Comuníquese con nosotros.",
  refused: "Nuestro servicio de pagos no pudo abrirle su página. Comuníquese con nosotros.",
};

export const callback: Translation<typeof english.callback> = {
  pageTitle: "Sin conexión",
  again: "Intentar de nuevo",
  links: {
    signIn: "Iniciar sesión",
    business: "Volver a la empresa",
    dashboard: "Volver a su resumen",
    onboarding: "Volver a su cuenta de pagos",
  },
  problems: {
    denied: {
      title: `Usted no autorizó a ${brandName}`,
      text: "No se conectó nada y nada cambió. Puede autorizar cuando quiera.",
    },
    expired_code: {
      title: "Pasó demasiado tiempo",
      text: "Su autorización venció o ya se usó, así que no se conectó nada. Autorice de nuevo.",
    },
    unknown_attempt: {
      title: "No podemos relacionar esto con una solicitud suya",
      text: "Es posible que haya empezado en otro navegador o hace demasiado tiempo. Si su cuenta aún no está conectada, empiece de nuevo aquí.",
    },
    missing_state: {
      title: "No sabemos a qué solicitud corresponde esta respuesta",
      text: "Por su seguridad, nos detuvimos aquí. No servirá intentarlo de nuevo hasta que lo corrijamos. Comuníquese con nosotros.",
    },
    wrong_issuer: {
      title: "Esta respuesta no vino de [service]",
      text: `Por su seguridad, nos detuvimos aquí. Empiece de nuevo desde ${brandName}.`,
    },
    other_person: {
      title: "Otra persona tiene la sesión iniciada aquí",
      text: `Esta solicitud pertenece a otra cuenta de ${brandName}. Inicie sesión en esa cuenta y empiece de nuevo.`,
    },
    signed_out: {
      title: "Su sesión terminó antes de que regresara",
      text: "No se conectó nada. Inicie sesión y empiece de nuevo.",
    },
    other_user: {
      title: "Esa era otra cuenta",
      text: "La cuenta de [service] que autorizó no es suya, así que no la conectamos. Autorice su propia cuenta.",
    },
    unavailable: {
      title: "[service] no respondió",
      text: outage,
    },
    not_now: {
      title: "[service] no puede hacer esto en este momento",
      text: outage,
    },
    not_understood: {
      title: "No pudimos leer la respuesta",
      text: `[service] le envió a ${brandName} una respuesta que no pudimos leer, así que no se conectó nada. Si vuelve a suceder, comuníquese con nosotros.`,
    },
    failed: {
      title: "Su cuenta no se conectó",
      text: "[service] no pudo completar la autorización. Intente de nuevo.",
    },
  },
};

export const connection: Translation<typeof english.connection> = {
  title: "Conexión",
  access: `El acceso de ${brandName} a su cuenta en [service].`,
  connected: "Conectada",
  notConnected: "Sin conexión",
  authorizeAgain: "Autorizar de nuevo",
  connectBusiness: "Conectar la empresa",
  opening: "Abriendo [service]",
  tryAgain: "Intentar de nuevo",
  asking: "Consultando a [service]",
  stillWaiting: "Esto tarda más de lo normal. Seguimos esperando la respuesta de [service].",
  disconnect: {
    action: "Desconectar",
    title: "¿Desconectar de [service]?",
    keep: "Seguir conectado",
    confirm: "Sí, desconectar",
    pending: "Desconectando",
    noAnswer: "[service] no respondió, así que es posible que la conexión siga activa. Inténtelo de nuevo.",
    notEnded: "[service] no pudo terminar la conexión, así que es posible que siga activa. Inténtelo de nuevo.",
  },
  deleted: {
    title: `${brandName} eliminó su acceso`,
    text: "[service] no puede terminarlo de inmediato. Terminará en un plazo de diez días, o antes si lo solicita a [service].",
  },
  problems: {
    notConnected: {
      title: `${brandName} no tiene conexión`,
      text: `Autorice a ${brandName} y volverá aquí enseguida.`,
    },
    disconnected: {
      title: {
        you: `Usted desconectó a ${brandName}`,
        operator: `Un operador desconectó a ${brandName}`,
      },
      text: `El dinero sigue en [service]. Autorice a ${brandName} para verlo aquí otra vez.`,
    },
    ended: {
      title: `La conexión de ${brandName} terminó`,
      text: `[service] ya no la acepta. Esto pasa después de mucho tiempo sin uso, o cuando el acceso se terminó en [service]. Autorice a ${brandName} de nuevo y volverá aquí enseguida.`,
    },
    unusable: {
      title: "No podemos usar la respuesta de [service]",
      text: `No se perdió nada. Inténtelo de nuevo en un minuto. Si eso no ayuda, autorice a ${brandName} de nuevo.`,
    },
    noAnswer: {
      title: "[service] no responde en este momento",
      text: "No se perdió nada. Por lo general se resuelve en un minuto.",
    },
  },
  record: {
    title: "Datos para desarrolladores",
    yours: "Su registro en [service]",
    business: "El registro de la empresa en [service]",
    status: "Estado",
    name: "Nombre",
    email: "Correo electrónico",
    phone: "Teléfono",
    userId: "ID de usuario",
    userType: "Tipo de usuario",
    kycType: "Verificación de identidad",
    receiveOnly: "Solo recibe",
    yes: "Sí",
    no: "No",
    unknown: "Desconocido",
    reasons: "Motivos",
    metadata: "Metadatos",
    noMetadata: "Sin metadatos.",
    tokens: "Tokens",
    noTokens: "No hay tokens.",
    accessTokenEnds: "El token de acceso vence",
    refreshTokenEnds: "El token de renovación vence",
    issued: "Emitidos",
  },
};
