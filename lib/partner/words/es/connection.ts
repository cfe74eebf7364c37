import { brandName } from "../../../../brand/name.ts";
import type { connection as english } from "../en/connection.ts";
import type { Translation } from "../translation.ts";

export const connection: Translation<typeof english> = {
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
